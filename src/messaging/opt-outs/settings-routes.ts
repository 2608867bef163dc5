// Routes: the words and buttons by which people opt out.
import { audit } from '../../audit/store.ts';
import { success } from '../../contract/envelope.ts';
import { OptOutSettings, OptOutSettingsBody } from '../../contract/opt-out-settings.ts';
import type { Db } from '../../db/db.ts';
import { ok } from '../../http/reply.ts';
import type { Server } from '../../http/request.ts';
import { checkedSettings } from './settings.ts';
import { findSettings, putSettings } from './settings-store.ts';
import { suggestedWords } from './suggested-words.ts';
import type { OptOutSettings as Settings } from './words.ts';

const none: Settings = {
  ...{ stopWords: [], startWords: [], buttonPayloads: [] },
  reply: { stop: null, start: null },
};

/** GET and PUT /v1/opt-outs/settings. */
export function optOutSettingsRoutes(server: Server, { db }: { db: Db }): void {
  const response = { 200: success(OptOutSettings) };
  const config = { scope: 'manage' } as const;
  const item = (settings: Settings) => ({ ...settings, suggested: suggestedWords });

  server.get('/v1/opt-outs/settings', { schema: { response }, config }, async ({ caller: { accountId } }) =>
    ok('Settings found.', item((await findSettings(db, [accountId])).get(accountId) ?? none)),
  );

  server.put(
    '/v1/opt-outs/settings',
    { schema: { body: OptOutSettingsBody, response }, config },
    async ({ caller, body }) => {
      const { stop = null, start = null } = body.reply ?? {};
      const settings: Settings = checkedSettings({ ...body, reply: { stop, start } });
      const { accountId } = caller;
      await db.transaction().execute(async (tx) => {
        await putSettings(tx, accountId, settings);
        await audit(tx, accountId, 'opt_out_settings.updated', accountId, { ...settings });
      });
      return ok('Settings stored.', item(settings));
    },
  );
}
