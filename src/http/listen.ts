// Listening on the server's address, with errors that say what to change.
import type { AddressInfo } from 'node:net';
import type { Server } from './request.ts';

export interface Where {
  host: string;
  /** 0: any free port. */
  port: number;
}

/** The URL at which this machine reaches a server that listens on `host`. */
function urlOf(host: string, port: number): string {
  const reached = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`;
}

/** An error for the operator: why the server cannot listen. */
function listenFailure(error: unknown, { host, port }: Where): Error {
  const code = (error as NodeJS.ErrnoException).code;
  const problem =
    {
      EADDRINUSE: `Port ${port} of ${host} is used by another program. Stop it, or set another PORT (0 uses any free port).`,
      EACCES: `This user may not open port ${port}. Set PORT to one above 1023.`,
      EADDRNOTAVAIL: `This machine does not have the address ${host}. Set HOST to one that it has, such as 127.0.0.1.`,
      ENOTFOUND: `HOST is ${host}, a name that does not resolve to an address. Set it to an address of this machine, such as 127.0.0.1.`,
    }[code ?? ''] ?? `The gateway cannot listen on ${host}, port ${port}: ${(error as Error).message}`;
  return new Error(problem, { cause: error });
}

/** Listens, and returns the URL at which this machine reaches the server. Throws an Error that says what to change. */
export async function listen(server: Server, where: Where): Promise<string> {
  try {
    await server.listen({ port: where.port, host: where.host });
  } catch (error) {
    throw listenFailure(error, where);
  }
  return urlOf(where.host, (server.server.address() as AddressInfo).port);
}
