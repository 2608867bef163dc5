// What an outgoing call came to when it brought no answer, folded from the words of undici, Node, DNS and TLS. Pure.

export type OutgoingFailure =
  | 'timeout'
  | 'refused'
  | 'dns'
  | 'tls'
  | 'reset'
  | 'blocked_address'
  | 'too_large'
  | 'aborted';

/** Thrown by every call of `base/outgoing.ts` that has no complete answer to give. */
export class OutgoingError extends Error {
  readonly kind: OutgoingFailure;
  /** False only if not one byte of the request was written, so that it may be repeated without doubling. */
  readonly sent: boolean;
  /** The HTTP status, if the answer had begun before the call failed. */
  readonly status: number | undefined;

  constructor(kind: OutgoingFailure, message: string, sent: boolean, status?: number, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'OutgoingError';
    this.kind = kind;
    this.sent = sent;
    this.status = status;
  }
}

/** Raised inside the connector by the address guard; `outgoingError` turns it into kind `blocked_address`. */
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
  // our own close cut the call off
  UND_ERR_DESTROYED: 'aborted',
  UND_ERR_CLOSED: 'aborted',
};

const tlsCode =
  /^(ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE)/;

const words: Record<OutgoingFailure, string> = {
  timeout: 'no complete answer in time',
  refused: 'the connection was refused, or the host cannot be reached',
  dns: 'the host name could not be resolved',
  tls: 'no secure connection could be made',
  reset: 'the connection broke before the answer was complete',
  blocked_address: 'the address may not be called',
  too_large: 'the answer is larger than allowed',
  aborted: 'the call was given up',
};

/**
 * Folds whatever a call raised into an `OutgoingError`. `sent`: whether any byte of the request may have been written.
 * The message names our words first, then the cause's own, never a header or a body.
 */
export function outgoingError(error: unknown, sent: boolean, status?: number): OutgoingError {
  if (error instanceof OutgoingError) return error;
  if (error instanceof BlockedAddress) {
    return new OutgoingError(
      'blocked_address',
      `${words.blocked_address}: ${error.message}`,
      false,
      status,
      error,
    );
  }
  const { code, message } = error as { code?: unknown; message?: unknown };
  const text = typeof code === 'string' ? code : '';
  const kind = kindOfCode[text] ?? (tlsCode.test(text) ? 'tls' : 'reset');
  const detail = [text, typeof message === 'string' ? message : ''].filter(Boolean).join(' ');
  return new OutgoingError(kind, detail ? `${words[kind]} (${detail})` : words[kind], sent, status, error);
}

/** The error of a call that we ended ourselves. */
export function gaveUp(
  kind: 'timeout' | 'too_large' | 'aborted',
  sent: boolean,
  status?: number,
): OutgoingError {
  return new OutgoingError(kind, words[kind], sent, status);
}
