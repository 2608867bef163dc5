// PostgreSQL's description of a statement without executing it: the types of its parameters and columns.
import pg from 'pg';
import type { Connection } from '../../../src/db/db.ts';

export interface Described {
  parameterOids: number[];
  columns: { name: string; oid: number; tableOid: number; columnNumber: number }[];
  error?: string;
}

/** Parses and describes one statement; `error` is PostgreSQL's reason for a rejection. */
function describe(client: pg.Client, text: string): Promise<Described> {
  return new Promise((resolve) => {
    const described: Described = { parameterOids: [], columns: [] };
    const connection = (client as unknown as { connection: pg.Connection }).connection;
    const onParameters = (message: { dataTypeIDs: number[] }) => {
      described.parameterOids = message.dataTypeIDs;
    };
    const events = connection as unknown as NodeJS.EventEmitter;
    events.once('parameterDescription', onParameters);
    // called once, because pg does not report "ready" to a failed query
    function done() {
      events.removeListener('parameterDescription', onParameters);
      resolve(described);
    }
    const query = {
      submit(to: pg.Connection) {
        to.parse({ name: '', text, types: [] }, true);
        to.describe({ type: 'S', name: '' }, true);
        to.sync();
      },
      handleRowDescription({
        fields,
      }: {
        fields: { name: string; dataTypeID: number; tableID: number; columnID: number }[];
      }) {
        described.columns = fields.map(({ name, dataTypeID, tableID, columnID }) => ({
          name,
          oid: dataTypeID,
          tableOid: tableID,
          columnNumber: columnID,
        }));
      },
      handleError(error: Error) {
        described.error = error.message;
        done();
      },
      handleReadyForQuery: done,
    };
    client.query(query as unknown as pg.Submittable);
  });
}

/** Describes statements in their order. */
export async function describeAll(connection: Connection, texts: readonly string[]): Promise<Described[]> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    const described: Described[] = [];
    for (const text of texts) described.push(await describe(client, text));
    return described;
  } finally {
    await client.end();
  }
}
