// Routes: the list of opt-outs, and changes of single ones.
import { AppError, invalidRequest } from '../../base/errors.ts';
import { phoneProblem } from '../../base/phone.ts';
import { cursorPage, success } from '../../contract/envelope.ts';
import {
  ListOptOutsQuery,
  OptOutBody,
  OptOutByPhone,
  OptOutByUserId,
  OptOutItem,
  RemovedOptOut,
} from '../../contract/opt-outs.ts';
import { cursorPageOf, cursorPosition } from '../../http/paging.ts';
import { ok } from '../../http/reply.ts';
import type { Server } from '../../http/request.ts';
import { contactsWith, type PersonFilter } from '../contacts/find.ts';
import { changeOptOut, changeOptOuts } from './change.ts';
import { type OptOutFileDeps, optOutFileRoutes } from './file-routes.ts';
import { scope, source } from './opt-out.ts';
import { optOutItem } from './presenter.ts';
import { optOutSettingsRoutes } from './settings-routes.ts';
import { listOptOuts } from './store.ts';

export type OptOutRoutesDeps = OptOutFileDeps;

/** GET /v1/opt-outs, GET and PUT /v1/opt-outs/settings, the import and export; PUT and DELETE /v1/opt-outs/:phone and /v1/opt-outs?userId=. */
export function optOutRoutes(server: Server, deps: OptOutRoutesDeps): void {
  listRoute(server, deps);
  optOutSettingsRoutes(server, deps);
  optOutFileRoutes(server, deps);
  const put = { response: { 200: success(OptOutItem) }, body: OptOutBody };
  const remove = { response: { 200: success(RemovedOptOut) } };
  const config = { scope: 'messages:send' } as const;
  server.put(
    '/v1/opt-outs/:phone',
    { schema: { params: OptOutByPhone, ...put }, config },
    ({ caller, params, body }) => optOut(deps, caller.accountId, withPhone(params.phone), body),
  );
  server.put(
    '/v1/opt-outs',
    { schema: { querystring: OptOutByUserId, ...put }, config },
    ({ caller, query, body }) => optOut(deps, caller.accountId, { userId: query.userId }, body),
  );
  server.delete(
    '/v1/opt-outs/:phone',
    { schema: { params: OptOutByPhone, ...remove }, config },
    ({ caller, params }) => optIn(deps, caller.accountId, withPhone(params.phone)),
  );
  server.delete(
    '/v1/opt-outs',
    { schema: { querystring: OptOutByUserId, ...remove }, config },
    ({ caller, query }) => optIn(deps, caller.accountId, { userId: query.userId }),
  );
}

function listRoute(server: Server, { db }: OptOutRoutesDeps): void {
  server.get(
    '/v1/opt-outs',
    {
      schema: { querystring: ListOptOutsQuery, response: { 200: success(cursorPage(OptOutItem)) } },
      config: { scope: 'messages:read' },
    },
    async ({ caller: { accountId }, query }) => {
      const { limit = 20, cursor, ...filter } = query;
      const [beforeId] = cursorPosition('opt-outs', cursor, 1) ?? [];
      const contactIds = await contactsWith(db, accountId, filter);
      const rows = await listOptOuts(db, accountId, { contactIds, beforeId }, limit + 1);
      return ok(
        'Opt-outs listed.',
        cursorPageOf('opt-outs', rows.map(optOutItem), limit, (item) => [item._id]),
      );
    },
  );
}

/** The person with this number; 400 if it is none. */
function withPhone(phone: string): PersonFilter {
  const problem = phoneProblem(phone);
  if (problem !== undefined) throw invalidRequest([{ path: 'phone', message: problem }]);
  return { phone };
}

async function optOut(
  deps: OptOutRoutesDeps,
  accountId: string,
  person: PersonFilter,
  { scope: name, reason = null }: { scope: 'marketing' | 'all'; reason?: string | null },
) {
  const act = { scope: scope[name], source: source.api, reason, atMs: null };
  if (person.phone !== undefined) await deps.restoreErased(accountId, [person.phone]);
  const row = await changeOptOut(deps, { accountId, person, act });
  if (!row)
    throw new AppError(
      'conflict',
      'Another request changed this opt-out in the meantime. Retry in a moment.',
    );
  return ok('Opt-out stored.', optOutItem(row));
}

async function optIn(deps: OptOutRoutesDeps, accountId: string, person: PersonFilter) {
  const act = { scope: scope.none, source: source.api, reason: null, atMs: null };
  if (person.phone !== undefined) await deps.restoreErased(accountId, [person.phone]);
  const [changed] = await changeOptOuts(deps, [{ accountId, person, act }]);
  const removed = changed?.isChanged === true;
  return ok(removed ? 'Opt-out removed.' : 'The person had not opted out.', { removed });
}
