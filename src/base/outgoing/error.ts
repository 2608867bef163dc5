// Errors of outgoing calls, classified from the errors of undici, Node, DNS and TLS. Pure.

export type OutgoingFailure =
  | 'timeout'
  | 'refused'
  | 'dns'
  | 'tls'
  | 'reset'
  | 'blocked_address'
  | 'too_large'
  | 'aborted';

/** Thrown by `outgoing.ts` if there is no complete response. */
export class OutgoingError extends Error {
  readonly kind: OutgoingFailure;
  /** False only if no byte of the request was written, so a retry cannot execute it twice. */
  readonly sent: boolean;
  /** The HTTP status, if the call failed after the response had started. */
  readonly status: number | undefined;

  constructor(kind: OutgoingFailure, message: string, sent: boolean, status?: number, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'OutgoingError';
    this.kind = kind;
    this.sent = sent;
    this.status = status;
  }
}

/** Thrown by the address guard in the connector; `outgoingError` maps it to kind `blocked_address`. */
export class BlockedAddress extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'BlockedAddress';
  }
}

const kindOfCode: Record<string, OutgoingFailure> = {
  ETIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'refused',
  ENETUNREACH: 'refused',
  EADDRNOTAVAIL: 'refused',
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  ENODATA: 'dns',
  EPROTO: 'tls',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'too_large',
  UND_ERR_HEADERS_OVERFLOW: 'too_large',
  // we closed the pool during the call
  UND_ERR_DESTROYED: 'aborted',
  UND_ERR_CLOSED: 'aborted',
};

const tlsCode =
  /^(ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE)/;

const messages: Record<OutgoingFailure, string> = {
  timeout: 'no complete response in time',
  refused: 'the connection was refused, or the host is unreachable',
  dns: 'the host name could not be resolved',
  tls: 'the TLS connection failed',
  reset: 'the connection was closed before the response was complete',
  blocked_address: 'calls to this address are not allowed',
  too_large: 'the response is larger than allowed',
  aborted: 'the call was aborted',
};

/**
 * Converts any error of a call to an `OutgoingError`. `sent`: whether any byte of the request may have been written. The
 * message contains our text and the cause's message, never a header or body.
 */
export function outgoingError(error: unknown, sent: boolean, status?: number): OutgoingError {
  if (error instanceof OutgoingError) return error;
  if (error instanceof BlockedAddress) {
    return new OutgoingError(
      'blocked_address',
      `${messages.blocked_address}: ${error.message}`,
      false,
      status,
      error,
    );
  }
  const { code, message } = error as { code?: unknown; message?: unknown };
  const text = typeof code === 'string' ? code : '';
  const kind = kindOfCode[text] ?? (tlsCode.test(text) ? 'tls' : 'reset');
  const detail = [text, typeof message === 'string' ? message : ''].filter(Boolean).join(' ');
  return new OutgoingError(
    kind,
    detail ? `${messages[kind]} (${detail})` : messages[kind],
    sent,
    status,
    error,
  );
}

/** The error of a call that we aborted. */
export function abortError(
  kind: 'timeout' | 'too_large' | 'aborted',
  sent: boolean,
  status?: number,
): OutgoingError {
  return new OutgoingError(kind, messages[kind], sent, status);
}
