// The platform's error codes with their HTTP statuses and titles, and its error envelope (pure).

/** code → [HTTP status, title], after the platform's error table of December 2025. */
const codes: Record<number, readonly [number, string]> = {
  0: [401, 'AuthException'],
  1: [400, 'API Unknown'],
  2: [503, 'API Service'],
  3: [500, 'API Method'],
  4: [400, 'API Too Many Calls'],
  10: [403, 'API Permission Denied'],
  33: [400, 'Parameter value is not valid'],
  100: [400, 'Invalid parameter'],
  190: [401, 'Access token has expired'],
  200: [403, 'API Permission'],
  368: [403, 'Temporarily blocked for policies violations'],
  80007: [400, 'Rate limit issues'],
  130429: [400, 'Rate limit hit'],
  130472: [400, "User's number is part of an experiment"],
  130497: [403, 'Business account is restricted from messaging users in this country.'],
  131000: [500, 'Something went wrong'],
  131005: [403, 'Access denied'],
  131008: [400, 'Required parameter is missing'],
  131009: [400, 'Parameter value is not valid'],
  131016: [500, 'Service unavailable'],
  131021: [400, 'Recipient cannot be sender'],
  131026: [400, 'Message undeliverable'],
  131031: [403, 'Business Account locked'],
  131037: [400, 'WhatsApp provided number needs display name approval before message can be sent.'],
  131042: [400, 'Business eligibility payment issue'],
  131045: [500, 'Incorrect certificate'],
  131047: [400, 'Re-engagement message'],
  131048: [400, 'Spam rate limit hit'],
  131049: [400, 'This message was not delivered to maintain healthy ecosystem engagement.'],
  131050: [400, 'User has stopped marketing messages from your business'],
  131051: [400, 'Unsupported message type'],
  131052: [400, 'Media download error'],
  131053: [400, 'Media upload error'],
  131056: [400, '(Business Account, Consumer Account) pair rate limit hit'],
  131057: [500, 'Account in maintenance mode'],
  132000: [400, 'Number of parameters does not match the expected number of params'],
  132001: [404, 'Template name does not exist in the translation'],
  132005: [400, 'Translated text too long'],
  132007: [400, 'Template format character policy violated'],
  132012: [400, 'Parameter format does not match format in the created template'],
  132015: [400, 'Template is paused'],
  132016: [400, 'Template is disabled'],
  132018: [400, "There's an issue with the parameters in your template"],
  132068: [400, 'Flow is in blocked state'],
  132069: [400, 'Flow is in throttled state'],
  133004: [503, 'Server temporarily unavailable'],
  133010: [400, 'Phone number not registered'],
  135000: [400, 'Generic user error'],
};

/** Whether the platform documents this code, so that it can be asked for. */
export function isPlatformCode(code: number): boolean {
  return codes[code] !== undefined;
}

export function titleOf(code: number): string {
  return codes[code]?.[1] ?? 'Generic user error';
}

interface RefusalParts {
  status: number;
  code: number;
  message: string;
  type?: string;
  details?: string;
  subcode?: number;
  userTitle?: string;
  userMessage?: string;
}

/** A call that the platform refuses; `envelope` makes its answer. */
export class Refusal extends Error {
  readonly parts: RefusalParts;
  constructor(parts: RefusalParts) {
    super(parts.message);
    this.parts = parts;
  }
}

/** A refusal by one of the platform's codes, with the human text that it carries in `error_data.details`. */
export function refusal(code: number, details?: string): Refusal {
  const [status, title] = codes[code] ?? [400, titleOf(code)];
  return new Refusal({ status, code, message: `(#${code}) ${title}`, ...(details && { details }) });
}

/** 100: a parameter of the graph itself, named in the message. */
export function badParam(message: string): Refusal {
  return new Refusal({ status: 400, code: 100, message: `(#100) ${message}` });
}

/** 100 with the title and text for people that template management answers. */
export function badTemplate(subcode: number, userTitle: string, userMessage: string): Refusal {
  return new Refusal({
    status: 400,
    code: 100,
    message: 'Invalid parameter',
    subcode,
    userTitle,
    userMessage,
  });
}

/** 100/33: no such object, or not this token's to see. */
export function unknownObject(method: string, id: string): Refusal {
  const message =
    `Unsupported ${method.toLowerCase()} request. Object with ID '${id}' does not exist, cannot be loaded due to ` +
    'missing permissions, or does not support this operation. Please read the Graph API documentation at ' +
    'https://developers.facebook.com/docs/graph-api';
  return new Refusal({ status: 400, code: 100, type: 'GraphMethodException', message, subcode: 33 });
}

/** 190: no token, an unknown one, or (`revoked`) one that was taken back. */
export function badToken(kind: 'missing' | 'unknown' | 'revoked'): Refusal {
  if (kind === 'missing')
    return new Refusal({
      status: 401,
      code: 190,
      message: 'An access token is required to request this resource.',
    });
  if (kind === 'unknown')
    return new Refusal({
      status: 401,
      code: 190,
      message: 'Invalid OAuth access token - Cannot parse access token',
    });
  const message = 'Error validating access token: The session has been invalidated by the business.';
  return new Refusal({ status: 401, code: 190, message, subcode: 460 });
}

/** The answer's body for a refusal. */
export function envelope({ parts }: Refusal): unknown {
  return {
    error: {
      message: parts.message,
      type: parts.type ?? 'OAuthException',
      code: parts.code,
      ...(parts.subcode !== undefined && { error_subcode: parts.subcode }),
      ...(parts.userTitle !== undefined && { is_transient: false, error_user_title: parts.userTitle }),
      ...(parts.userMessage !== undefined && { error_user_msg: parts.userMessage }),
      ...(parts.details !== undefined && {
        error_data: { messaging_product: 'whatsapp', details: parts.details },
      }),
      fbtrace_id: traceId(),
    },
  };
}

function traceId(): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-';
  let id = 'A';
  for (let i = 0; i < 22; i++) id += letters[Math.floor(Math.random() * 64)];
  return id;
}

/** The `errors[]` of a failed status; `message` repeats the title, as the platform's does. */
export function statusErrors(code: number): unknown[] {
  const title = titleOf(code);
  return [
    {
      code,
      title,
      message: title,
      error_data: { details: failureDetails[code] ?? `${title}.` },
      href: 'https://developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes/',
    },
  ];
}

/** Human texts of the codes that the platform mostly tells by a callback. */
const failureDetails: Record<number, string> = {
  130472: "Failed to send message because this user's phone number is part of an experiment",
  131026: 'Message undeliverable.',
  131047:
    'Message failed to send because more than 24 hours have passed since the customer last replied to this number.',
  131049: 'In order to maintain a healthy ecosystem engagement, the message failed to be delivered.',
  131050:
    'Unable to deliver the message. This recipient has chosen to stop receiving marketing messages from your business.',
  131053: 'Downloading media from weblink failed with HTTP code 404',
  132015:
    'Template was paused due to low quality while the message was held for quality assessment, so it was dropped.',
};
