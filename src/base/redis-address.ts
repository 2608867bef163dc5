// Addresses of Redis: one server, the sentinels of a primary, or the nodes of a cluster. Pure.

interface Login {
  username?: string;
  password?: string;
}

interface Host {
  host: string;
  port: number;
}

export type RedisAddress =
  | { kind: 'server'; url: string }
  | {
      kind: 'sentinel';
      sentinels: Host[];
      /** The name of the primary at the sentinels. */
      name: string;
      login: Login;
      sentinelPassword?: string;
      db: number;
      tls: boolean;
    }
  | { kind: 'cluster'; nodes: Host[]; login: Login; tls: boolean };

const form = /^(rediss?)\+(sentinel|cluster):\/\/(?:([^@/?#]*)@)?([^@/?#]+)(?:\/([^/?#]*))?(?:\?([^#]*))?$/;
const hostForm = /^(\[[0-9a-f:.]+\]|[^:[\]]+)(?::(\d{1,5}))?$/i;
const defaultPort = { sentinel: 26_379, cluster: 6_379 };

/** Reads an address. Throws an error with the allowed forms, which does not contain the address: it may have a password. */
export function parseRedisAddress(text: string): RedisAddress {
  if (/^rediss?:\/\//.test(text) && URL.canParse(text)) return { kind: 'server', url: text };
  const found = form.exec(text);
  if (!found) throw new Error(formsText);
  const [, scheme, kind, user, list = '', path = '', query = ''] = found;
  const parameters = new URLSearchParams(query);
  const common = { login: loginIn(user), tls: scheme === 'rediss' };
  if (kind === 'cluster') {
    if (path !== '' || query !== '') throw new Error('a cluster has no path and no parameters.');
    return { kind, nodes: hostsIn(list, defaultPort.cluster), ...common };
  }
  const db = Number(parameters.get('db') ?? 0);
  if (path === '')
    throw new Error('the path must be the name of the primary at the sentinels, such as /mymaster.');
  if (!Number.isInteger(db) || db < 0) throw new Error('db must be a whole number.');
  const sentinelPassword = parameters.get('sentinelPassword');
  return {
    kind: 'sentinel',
    sentinels: hostsIn(list, defaultPort.sentinel),
    name: decodeURIComponent(path),
    ...common,
    ...(sentinelPassword === null ? {} : { sentinelPassword }),
    db,
  };
}

const formsText =
  'it must be redis://host:port, redis+sentinel://host:port,host:port/name or redis+cluster://host:port,host:port (rediss… with TLS).';

function loginIn(user: string | undefined): Login {
  if (user === undefined) return {};
  const [username = '', ...rest] = user.split(':');
  const password = rest.length === 0 ? undefined : decodeURIComponent(rest.join(':'));
  return {
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === undefined ? {} : { password }),
  };
}

function hostsIn(list: string, port: number): Host[] {
  return list.split(',').map((part) => {
    const found = hostForm.exec(part.trim());
    if (!found || Number(found[2] ?? port) > 65_535) throw new Error(formsText);
    return { host: (found[1] ?? '').replace(/^\[|\]$/g, ''), port: Number(found[2] ?? port) };
  });
}
