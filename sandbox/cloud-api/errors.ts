// The platform's error codes with their HTTP statuses and titles, and its error envelope (pure).

/** code → [HTTP status, title], from the platform's error table of December 2025 with the additions of 2026; 400 if the table has no status. */
const codes: Record<number, readonly [number, string]> = {
  0: [401, 'AuthException'],
  1: [400, 'API Unknown'],
  2: [503, 'API Service'],
  3: [500, 'API Method'],
  4: [400, 'API Too Many Calls'],
  10: [403, 'API Permission Denied'],
  17: [400, 'User request limit reached'],
  33: [400, 'Parameter value is not valid'],
  102: [401, 'API Session'],
  104: [400, 'Incorrect signature'],
  341: [400, 'Application limit reached'],
  613: [400, 'Calls to this API have exceeded the rate limit'],
  2200: [400, 'Callback verification failed'],
  100: [400, 'Invalid parameter'],
  190: [401, 'Access token has expired'],
  200: [403, 'API Permission'],
  368: [403, 'Temporarily blocked for policies violations'],
  551: [400, 'This person is not available right now.'],
  80007: [400, 'Rate limit issues'],
  80008: [400, 'There have been too many calls to this WhatsApp Business account.'],
  130403: [400, 'Message blocked: the business blocked this user'],
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
  131030: [400, 'Recipient phone number not in allowed list'],
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
  131055: [400, 'Method not allowed'],
  131056: [400, '(Business Account, Consumer Account) pair rate limit hit'],
  131057: [500, 'Account in maintenance mode'],
  131060: [400, 'This message is currently unavailable'],
  131062: [400, 'Business-scoped user ID is not supported for this message'],
  131063: [400, 'Marketing messages are turned off for Cloud API'],
  131064: [400, 'Template messaging limit for misclassified templates reached'],
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
  133000: [400, 'Incomplete deregistration'],
  133004: [503, 'Server temporarily unavailable'],
  133005: [400, 'Two-step verification PIN mismatch'],
  133006: [400, 'Phone number re-verification needed'],
  133008: [400, 'Too many two-step verification PIN guesses'],
  133009: [400, 'Two-step verification PIN guessed too fast'],
  133010: [400, 'Phone number not registered'],
  133015: [400, 'Please wait a few minutes before attempting to register this phone number'],
  133016: [400, 'Account register deregister rate limit exceeded'],
  134011: [400, 'WhatsApp payments terms of service were not accepted'],
  134100: [400, 'Only marketing messages are supported'],
  134101: [400, 'Template is still being synchronised'],
  134102: [500, 'Template is unavailable for use'],
  135000: [400, 'Generic user error'],
  137000: [400, 'Identity key hash does not match'],
  2494100: [400, 'Account is in maintenance mode'],
};

/** Whether the platform documents this code. */
export function isPlatformCode(code: number): boolean {
  return codes[code] !== undefined || (code >= 200 && code <= 299);
}

function titleOf(code: number): string {
  return codes[code]?.[1] ?? 'Generic user error';
}

export interface RejectionParts {
  status: number;
  code: number;
  message: string;
  type?: string;
  details?: string;
  /** True: `error_data` is the text of the details itself, as in some of the platform's responses. */
  plainData?: boolean;
  subcode?: number;
  userTitle?: string;
  userMessage?: string;
  headers?: Record<string, string>;
}

/** A call that the platform rejects; `envelope` makes the response's body. */
export class Rejection extends Error {
  readonly parts: RejectionParts;
  constructor(parts: RejectionParts) {
    super(parts.message);
    this.parts = parts;
  }
}

/** A rejection with one of the platform's codes; `details` becomes `error_data.details`. */
export function rejection(code: number, details?: string): Rejection {
  const [status, title] = codes[code] ?? [400, titleOf(code)];
  return new Rejection({ status, code, message: `(#${code}) ${title}`, ...(details && { details }) });
}

/** A rejection with further parts, such as a subcode. The permission errors 200 to 299 have one title. */
export function rejectionWith(code: number, more: Partial<RejectionParts>): Rejection {
  const [status, title] =
    codes[code] ?? (code >= 200 && code <= 299 ? [403, 'API Permission'] : [400, titleOf(code)]);
  return new Rejection({ status, code, message: `(#${code}) ${title}`, ...more });
}

/** 132000: a part of a message with more or fewer of something than its template needs. */
export function wrongNumber(
  part: string,
  what: 'params' | 'localizable_params' | 'cards',
  { given, expected }: { given: number; expected: number },
): Rejection {
  const wanted = what === 'cards' ? 'cards' : 'params';
  return rejection(
    132000,
    `${part}: number of ${what} (${given}) does not match the expected number of ${wanted} (${expected})`,
  );
}

/** 100: a problem of a parameter, which the message names. */
export function badParam(message: string): Rejection {
  return new Rejection({ status: 400, code: 100, message: `(#100) ${message}` });
}

/** 100 with a subcode, title and text, as template management responds. */
export function badTemplate(subcode: number, userTitle: string, userMessage: string): Rejection {
  return new Rejection({
    status: 400,
    code: 100,
    message: 'Invalid parameter',
    subcode,
    userTitle,
    userMessage,
  });
}

/** 100 without a subcode, for a rejected button. */
export function badButton(userMessage: string): Rejection {
  const message = 'Invalid parameter';
  return new Rejection({ status: 400, code: 100, message, userTitle: 'Invalid buttons', userMessage });
}

/** 100/33: the object does not exist, or the token may not see it. */
export function unknownObject(method: string, id: string): Rejection {
  const message =
    `Unsupported ${method.toLowerCase()} request. Object with ID '${id}' does not exist, cannot be loaded due to ` +
    'missing permissions, or does not support this operation. Please read the Graph API documentation at ' +
    'https://developers.facebook.com/docs/graph-api';
  return new Rejection({ status: 400, code: 100, type: 'GraphMethodException', message, subcode: 33 });
}

/** 100: the header's media id is unknown, expired, or of another number; the wording is from reports of users. */
export function unknownMedia(kind: string): Rejection {
  return badParam(
    `Param template['components'][0]['parameters'][0]['${kind}']['id'] is not a valid whatsapp business account media attachment ID`,
  );
}

/** 190: no token, an unknown, revoked or expired one, or (`unsigned`) an app token with a wrong secret. */
export function badToken(kind: 'missing' | 'unknown' | 'revoked' | 'expired' | 'unsigned'): Rejection {
  if (kind === 'unsigned')
    return new Rejection({ status: 400, code: 190, message: 'Invalid OAuth access token signature.' });
  if (kind === 'expired') {
    const message = 'Error validating access token: Session has expired.';
    return new Rejection({ status: 401, code: 190, message, subcode: 463 });
  }
  if (kind === 'missing')
    return new Rejection({
      status: 401,
      code: 190,
      message: 'An access token is required to request this resource.',
    });
  if (kind === 'unknown')
    return new Rejection({
      status: 401,
      code: 190,
      message: 'Invalid OAuth access token - Cannot parse access token',
    });
  const message = 'Error validating access token: The session has been invalidated by the business.';
  return new Rejection({ status: 401, code: 190, message, subcode: 460 });
}

/** 100: the proof of the app secret is missing, although the app requires it, or is wrong; the wordings are from reports of users. */
export function badProof(kind: 'missing' | 'wrong'): Rejection {
  const message =
    kind === 'missing'
      ? 'API calls from the server require an appsecret_proof argument'
      : 'Invalid appsecret_proof provided in the API argument';
  return new Rejection({ status: 400, code: 100, type: 'GraphMethodException', message });
}

/** The response's body for a rejection. */
export function envelope({ parts }: Rejection): unknown {
  return {
    error: {
      message: parts.message,
      type: parts.type ?? 'OAuthException',
      code: parts.code,
      ...(parts.subcode !== undefined && { error_subcode: parts.subcode }),
      ...(parts.userTitle !== undefined && { is_transient: false, error_user_title: parts.userTitle }),
      ...(parts.userMessage !== undefined && { error_user_msg: parts.userMessage }),
      ...(parts.details !== undefined && {
        error_data: parts.plainData
          ? parts.details
          : { messaging_product: 'whatsapp', details: parts.details },
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

/** The `errors[]` of a failed status or of a number; `message` repeats the title, as on the platform. */
export function statusErrors(code: number, plainData = false): unknown[] {
  const title = titleOf(code);
  const details = failureDetails[code] ?? `${title}.`;
  return [
    {
      code,
      title,
      message: title,
      error_data: plainData ? details : { details },
      href: 'https://developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes/',
    },
  ];
}

/** Details of the codes that the platform mostly reports by callback. */
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
