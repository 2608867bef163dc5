// Calls to a gateway's public API by method and path, for tests that start programs.

export type Call = <T = Record<string, unknown>>(
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<T>;

/** An error response, with its HTTP status. */
class Refused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Returns a function that calls the gateway at `baseUrl` with one key. It resolves with `data` or rejects with the error. */
export function gatewayClient(baseUrl: string, apiKey: string): Call {
  return async <T>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<T> => {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        'X-API-Key': apiKey,
        ...headers,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as { success: boolean; message: string; data: T };
    if (!answer.success)
      throw new Refused(response.status, `${method} ${path} answered ${response.status}: ${answer.message}`);
    return answer.data;
  };
}
