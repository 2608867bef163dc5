// Gateways that are killed during bookings: real processes behind proxies, each request halted at a named step, all ended by one SIGKILL.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { googleControl } from '../../sandbox/google/control-client.ts';
import { startGoogle } from '../../sandbox/google/server.ts';
import { createAccount } from '../../src/accounts/keys.ts';
import { makeKey } from '../../src/base/cipher.ts';
import { systemClock } from '../../src/base/clock.ts';
import { plainSchedule } from '../harness/appointments-fixture.ts';
import { createTestDatabase } from '../harness/database.ts';
import { type Call, gatewayClient } from '../harness/gateway-client.ts';
import { openHttpProxy } from '../harness/http-proxy.ts';
import { openPostgresProxy } from '../harness/postgres-proxy.ts';
import { openProgramFolder, type Program } from '../harness/program.ts';
import { statementName } from './points.ts';

const patientTimers = new URL('./patient-timers.ts', import.meta.url).href;
const client = { id: 'gateway.apps.example', secret: 'GOCSPX-sandbox' };

export interface Staff {
  id: string;
  /** The id of their calendar too. */
  email: string;
}

/** The steps of a request, in order, as the proxies see them: writing statements, commits and calls. */
interface StepWatch {
  steps: string[];
  haltAt: Step | undefined;
  halted: PromiseWithResolvers<void>;
}

/** A step by its name, and which of the request's steps with this name it is (from 1). */
export interface Step {
  name: string;
  occurrence: number;
}

export interface FrozenGateways {
  database: Awaited<ReturnType<typeof createTestDatabase>>;
  google: ReturnType<typeof googleControl>;
  /** Starts a gateway; with the role `api` it runs no workers, and a halted request does not time out. */
  start(role: 'api' | 'all'): Promise<{ program: Program; call: Call }>;
  staff(call: Call, schedule?: object): Promise<Staff>;
  /** The steps of a request that completes. */
  stepsOf(request: () => Promise<unknown>): Promise<string[]>;
  /** Starts a request and halts it before the step `haltAt`. */
  halt(request: () => Promise<unknown>, haltAt: Step): Promise<void>;
  /** Makes all leases expire. */
  expireLeases(): Promise<void>;
  close(): Promise<void>;
}

/** A statement by its name, or by its text if it has none; commits by their text, calls by their method and path without ids. */
const nameOf = (step: string) =>
  statementName(step) ?? step.replace(/\/events\/\w+/, '/events/:id').slice(0, 70);

/** Statements that every process executes every few seconds; they are no steps of a request. */
export const backgroundStatements = ['readDatabaseClock', 'recordCallbackUptime'];

export async function openFrozenGateways(): Promise<FrozenGateways> {
  const [database, google, workspace] = await Promise.all([
    createTestDatabase(),
    startGoogle({ clients: [client] }),
    openProgramFolder(),
  ]);
  const control = googleControl(google.url);
  let watch: StepWatch | undefined;
  const gate = (step: string): boolean => {
    const name = nameOf(step);
    if (!watch || backgroundStatements.includes(name)) return false;
    watch.steps.push(name);
    const occurrence = watch.steps.filter((step) => step === name).length;
    const halts = name === watch.haltAt?.name && occurrence === watch.haltAt.occurrence;
    if (halts) watch.halted.resolve();
    return halts;
  };
  const [postgresDoor, googleProxy] = await Promise.all([
    openPostgresProxy(database.connection, gate),
    openHttpProxy(google.url, gate),
  ]);
  const { key } = await createAccount({ db: database.db, clock: systemClock } as never, 'Test');
  const env = {
    DATABASE_URL: postgresDoor.url,
    ENCRYPTION_KEYS: makeKey(),
    GOOGLE_CLIENT_ID: client.id,
    GOOGLE_CLIENT_SECRET: client.secret,
    GOOGLE_API_URL: googleProxy.url,
    GOOGLE_AUTH_URL: `${google.url}/o/oauth2/v2/auth`,
    GOOGLE_TOKEN_URL: `${googleProxy.url}/token`,
    GOOGLE_REVOKE_URL: `${googleProxy.url}/revoke`,
    RATE_LIMIT_PER_MINUTE: '0',
    // each halted request keeps its connection
    DATABASE_CONNECTIONS: '60',
  };

  const watching = (haltAt?: Step): StepWatch => {
    watch = { steps: [], haltAt, halted: Promise.withResolvers() };
    return watch;
  };

  return {
    database,
    google: control,
    async start(role) {
      // the halted processes are dead by now
      googleProxy.unblock();
      const patience = role === 'api' ? { NODE_OPTIONS: `--import=${patientTimers}` } : {};
      const program = workspace.start(['start'], { env: { ...env, ...patience, ROLE: role } });
      const [, url = ''] = await program.says(/The gateway answers at (\S+?)\. /);
      return { program, call: gatewayClient(url, key.apiKey) };
    },
    async staff(call, schedule = {}) {
      const email = `staff-${randomUUID()}@clinic.example`;
      await control.putAccount({ email, timeZone: 'UTC' });
      const { _id: id } = await call<{ _id: string }>('POST', '/v1/appointments/users', {
        name: 'Ada Okafor',
        email,
      });
      await call('PUT', `/v1/appointments/users/${id}/schedule`, { ...plainSchedule, ...schedule });
      const path = `/v1/appointments/ext-calendar/auth-url?appointmentUserId=${id}`;
      const { authUrl } = await call<{ authUrl: string }>('GET', path);
      const page = await fetch(authUrl);
      if (page.status !== 200) throw new Error(await page.text());
      return { id, email };
    },
    async stepsOf(request) {
      const { steps } = watching();
      await request();
      watch = undefined;
      return steps;
    },
    async halt(request, haltAt) {
      const { halted } = watching(haltAt);
      // its connection breaks when the process is killed
      const answered = request().then(
        () => 'answered',
        (error) => `failed: ${error}`,
      );
      const ended = await Promise.race([halted.promise, answered]);
      if (ended !== undefined) throw new Error(`The request ${ended} before ${haltAt.name}.`);
    },
    async expireLeases() {
      watch = undefined;
      await sql`update bookings set due_at = now() where due_at is not null`.execute(database.db);
      await sql`update idempotency_keys set leased_until = now() where status is null`.execute(database.db);
    },
    async close() {
      await workspace.close();
      await Promise.all([postgresDoor.close(), googleProxy.close(), google.close()]);
      await database.drop();
    },
  };
}
