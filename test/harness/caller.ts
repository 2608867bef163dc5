// The caller of a request, for servers of tests that have no keys.
import { uuidv7 } from '../../src/base/ids.ts';
import type { Caller } from '../../src/http/request.ts';

/** A caller of this account with these scopes. */
export function testCaller(accountId: string, ...scopes: string[]): Caller {
  const id = uuidv7();
  return { kind: 'key', id, keyId: id, name: 'test', accountId, scopes: new Set(scopes) };
}
