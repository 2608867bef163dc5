// The messaging platform, as we need it: templates, sends, media, and what its callbacks say. Interfaces only.
import type { Readable } from 'node:stream';

/** What a call on behalf of one number needs. The token is the clear text: never log this object. */
export interface SenderAccess {
  senderId: string;
  accountId: string;
  phoneNumberId: string;
  businessAccountId: string;
  credential: string;
  /** Base address of the platform's API, without a trailing slash or version. */
  apiUrl: string;
  /** True: the account named this address, not the operator, so it is called through the address guard alone. */
  isOwnAddress: boolean;
}

/** One template as the platform keeps it; `components` and `status` in the platform's own words. */
export interface PlatformTemplate {
  providerTemplateId: string;
  name: string;
  language: string;
  status: string;
  category: string;
  parameterFormat: 'positional' | 'named';
  components: TemplateComponent[];
  qualityScore: string | null;
  rejectedReason: string | null;
}

/** A component in the platform's documented form (upper-case `type`), passed through as it is. */
export interface TemplateComponent {
  type: string;
  format?: string;
  text?: string;
  buttons?: TemplateButton[];
  example?: Record<string, unknown>;
  [member: string]: unknown;
}

export interface TemplateButton {
  type: string;
  text?: string;
  url?: string;
  example?: unknown;
  otp_type?: string;
  [member: string]: unknown;
}

/** One value for one placeholder; `name` only in templates with named parameters. */
export interface FilledText {
  name?: string;
  text: string;
}

/** Everything that fills a template, in our own words and in the platform's order. */
export interface FilledTemplate {
  header?:
    | { kind: 'text'; values: FilledText[] }
    | { kind: 'media'; media: 'image' | 'video' | 'document'; fileName?: string }
    | { kind: 'location'; latitude: number; longitude: number; name: string; address: string };
  body: FilledText[];
  buttons: { index: number; subType: 'url' | 'copy_code' | 'otp'; value: string }[];
}

export interface OutgoingMessage {
  /** Digits with country code, without `+`. */
  phone: string;
  templateName: string;
  language: string;
  filled: FilledTemplate;
  /** The platform's id of the header's media for this number. */
  platformMediaId?: string;
  /** Our message id; the platform echoes it on every status. */
  correlationId: string;
}

/** What a refusal asks of us, by the platform's documented code. */
export type RejectionClass =
  /** try this message again with increasing delays */
  | 'retry'
  /** the same, three times in all */
  | 'retry_few'
  /** the same, once */
  | 'retry_once'
  /** the number is too fast: slow it down, then try again */
  | 'throttled'
  /** a limit of the app or business account: slow all its numbers down, then try again */
  | 'throttled_account'
  /** this pair of number and recipient is too fast: only this recipient waits */
  | 'pair_rate'
  /** a limit of the template's category that ends by itself: this message waits */
  | 'category_limit'
  /** nothing of this number will pass until an operator acts: hold its queue */
  | 'halt_sender'
  /** nothing that uses this token will pass: hold the queues of the numbers that have it */
  | 'halt_token'
  /** nothing of this business account will pass: hold the queues of all its numbers */
  | 'halt_account'
  /** nothing of this template will pass: hold it */
  | 'halt_template'
  /** the platform knows no such approved template: hold it and read it again */
  | 'template_missing'
  /** this message will never pass, and what we know of its template is out of date: read it again */
  | 'template_outdated'
  /** the file was not accepted: the platform may have lost it, else this message will never pass */
  | 'media_refused'
  /** the platform does not know the file's id: register the file again */
  | 'media_unknown'
  /** this message will never pass */
  | 'final';

/** What of a refusal decides about it; a VendorError is one, and so is the error of a report. */
export interface PlatformRejection {
  code: number | string | undefined;
  subcode?: number | undefined;
  title?: string | undefined;
  /** The platform's explanation. */
  message?: string;
}

/** One stage of one message, as a callback reported it. */
export interface StatusReport {
  phoneNumberId: string;
  messageRef: string;
  /** Our message id, if the platform echoed one. */
  correlationId: string | null;
  status: 'sent' | 'delivered' | 'read' | 'failed';
  /** Epoch seconds, the platform's time. */
  timestamp: number;
  priceCategory: string | null;
  error: { code: number; title: string; message: string } | null;
}

/** A change of a template that a callback reported; absent members did not change. */
export interface TemplateReport {
  businessAccountId: string;
  providerTemplateId: string;
  /** Epoch seconds, the platform's time of the change; null where the callback names none. */
  timestamp: number | null;
  status?: string;
  /** The present category, never one that is only announced. */
  category?: string;
  /** Null if the platform has no score yet. */
  qualityScore?: string | null;
  /** Why the status changed, in the platform's word; null if it gave none. */
  reason?: string | null;
  /** True if the components changed, so that the template must be read again. */
  componentsChanged?: boolean;
}

/** An error that a callback reported for a number as a whole, not for a message. */
export interface NumberReport {
  phoneNumberId: string;
  /** Epoch seconds, the platform's time; null where the callback names none. */
  timestamp: number | null;
  error: { code: number; title: string; message: string };
}

export interface CallbackContent {
  statuses: StatusReport[];
  templates: TemplateReport[];
  numbers: NumberReport[];
  /** Changes that carry nothing for us (inbound messages, account news, kinds not known yet). */
  ignored: number;
}

export interface PhoneNumber {
  displayPhone: string;
  verifiedName: string;
}

/**
 * The platform. Every call throws `VendorError` with one of the three outcomes; a refusal carries the platform's
 * `code`, `title` and full explanation. Nothing here retries: the workers decide that.
 */
export interface MessagingPlatform {
  /** Answers the platform's id of the accepted message; `held` if it keeps the message back for now. */
  sendTemplate(
    sender: SenderAccess,
    message: OutgoingMessage,
  ): Promise<{ messageRef: string; held: boolean }>;
  /** The reaction to a refusal, by its code, and by subcode and text where the code alone does not say. */
  classify(refusal: PlatformRejection): RejectionClass;
  /** One page of the business account's templates; `after` is the cursor that the page before answered. */
  listTemplates(
    sender: SenderAccess,
    after?: string,
  ): Promise<{ templates: PlatformTemplate[]; after: string | undefined }>;
  readTemplate(sender: SenderAccess, providerTemplateId: string): Promise<PlatformTemplate>;
  createTemplate(
    sender: SenderAccess,
    draft: {
      name: string;
      language: string;
      category: string;
      parameterFormat: 'positional' | 'named';
      components: TemplateComponent[];
    },
  ): Promise<{ providerTemplateId: string; status: string; category: string }>;
  deleteTemplate(sender: SenderAccess, template: { name: string; providerTemplateId: string }): Promise<void>;
  /** Proves token and number; answers the number's public face. */
  readNumber(sender: SenderAccess): Promise<PhoneNumber>;
  /** Uploads a file for this number, streamed. */
  uploadMedia(
    sender: SenderAccess,
    file: { stream: Readable; size: number; mimeType: string; fileName: string },
    timeoutMs: number,
  ): Promise<{ platformMediaId: string }>;
  /** Uploads a sample of a media header for the platform's review, streamed; answers the handle that stands for it in a draft. */
  uploadSample(
    sender: SenderAccess,
    file: { stream: Readable; size: number; mimeType: string; fileName: string },
    timeoutMs: number,
  ): Promise<{ handle: string }>;
  deleteMedia(sender: SenderAccess, platformMediaId: string): Promise<void>;
  /** Returns whether a header has the form of a signature, so that a body is worth reading. */
  isSignature(signatureHeader: string): boolean;
  /** Checks the signature header of a callback over its raw bytes, in constant time. */
  isCallbackSigned(rawBody: Buffer, signatureHeader: string | undefined, appSecret: string): boolean;
  /** Reads a callback; unknown members and kinds are passed over. Throws AppError `invalid_request` if it is no callback at all. */
  readCallback(rawBody: Buffer): CallbackContent;
}
