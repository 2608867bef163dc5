// The child's end of a benchmark's RPC: a child process serves its parent's requests, with one function for each.

export interface RpcRequest {
  number: number;
  name: string;
  input: unknown;
}

export interface RpcReply {
  number: number;
  value?: unknown;
  error?: string;
}

// biome-ignore lint/suspicious/noExplicitAny: each handler has its own type of input
type Handlers = Record<string, (input: any) => unknown>;

/** Serves requests from the parent's channel; exits when it closes. */
export function serveParent(handlers: Handlers): void {
  process.on('message', async ({ number, name, input }: RpcRequest) => {
    let reply: RpcReply;
    try {
      const handler = handlers[name];
      if (!handler) throw new Error(`no handler for ${name}`);
      reply = { number, value: await handler(input) };
    } catch (error) {
      reply = { number, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    }
    process.send?.(reply);
  });
  process.once('disconnect', () => process.exit(0));
}

/** Milliseconds of the machine's monotonic clock, which all its processes share. */
export function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
