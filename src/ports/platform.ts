// The messaging platform as the gateway needs it: templates, sends, media and callbacks. Interfaces only.
import type { Readable } from 'node:stream';
import type { OutgoingMessage, OutgoingReply, SentMessage } from './platform-message.ts';
import type {
  AccountNotice,
  AppCallback,
  CallbackTarget,
  CredentialInspection,
  PhoneNumber,
  PlatformAdvice,
  PlatformApp,
  Subscription,
} from './platform-number.ts';
import type {
  IdentityReport,
  OpenedMedia,
  PreferenceReport,
  ReceivedMessage,
  RecipientReport,
} from './platform-received.ts';
import type { TemplateComponent, TemplateDraft, TemplateEdit } from './platform-template.ts';

export type {
  FilledButton,
  FilledHeader,
  FilledMedia,
  FilledParts,
  FilledTemplate,
  FilledText,
  OutgoingMessage,
  OutgoingReply,
  ProductSection,
  ReplyContent,
  SentMessage,
} from './platform-message.ts';
export type { TemplateButton, TemplateComponent, TemplateDraft, TemplateEdit } from './platform-template.ts';

/** What a call on behalf of one number needs. Contains a secret: never log this object. */
export interface SenderAccess {
  senderId: string;
  accountId: string;
  /** The platform's id of the number. */
  phoneNumberId: string;
  /** The platform's id of the account that owns the number and its templates. */
  businessAccountId: string;
  /** What authenticates the call, in the clear. Only the adapter knows its form. */
  credential: string;
  /** The secret of the app that the credential belongs to, in the clear; undefined: not known. */
  appSecret?: string;
  /** Base address of the platform's API, without a trailing slash or version. */
  apiUrl: string;
  /** True if the account chose the address, not the operator: the adapter must call it through the address guard. */
  isOwnAddress: boolean;
}

/** Whether a template can be sent; drafts exist only here. */
export type TemplateState = 'approved' | 'submitted';

/** One template as the platform has it. */
export interface PlatformTemplate {
  providerTemplateId: string;
  name: string;
  language: string;
  /** What `providerStatus` means for sends. */
  state: TemplateState;
  /** The platform's own status, in upper case. */
  providerStatus: string;
  category: string;
  parameterFormat: 'positional' | 'named';
  components: TemplateComponent[];
  qualityScore: string | null;
  rejectedReason: string | null;
  /** Seconds for which the platform tries to deliver a message; null: its default. */
  messageTtlSeconds: number | null;
}

/** How to react to a rejection. */
export type RejectionClass =
  /** retry this message with increasing delays */
  | 'retry'
  /** the same, three times in all */
  | 'retry_few'
  /** the same, once */
  | 'retry_once'
  /** the number sends too fast: slow it down, then retry */
  | 'throttled'
  /** a limit of the app or business account: slow down all its numbers, then retry */
  | 'throttled_account'
  /** the number sends too fast to this recipient: only this message waits */
  | 'pair_rate'
  /** a temporary limit of the template's category in its business account: hold these templates for a time */
  | 'category_limit'
  /** the number cannot send until an operator acts: halt it */
  | 'halt_sender'
  /** the number may only answer people for now: halt its templates */
  | 'halt_templates'
  /** the credential cannot send: halt the numbers that use it */
  | 'halt_token'
  /** the business account cannot send: halt all its numbers */
  | 'halt_account'
  /** the template cannot be sent: hold it */
  | 'halt_template'
  /** the platform has no approved template of that name: hold it and read it again */
  | 'template_missing'
  /** this message can never be sent, and our copy of the template is out of date: read it again */
  | 'template_outdated'
  /** the platform rejected the file: it may have lost it, otherwise this message can never be sent */
  | 'media_refused'
  /** the platform does not know the file's id: register the file again */
  | 'media_unknown'
  /** this message can never be sent: the recipient stopped marketing messages of the business */
  | 'opted_out'
  /** this message can never be sent */
  | 'final';

/** What decides how to react to a rejection: a VendorError, or the error of a status report. */
export interface PlatformRejection {
  code: number | string | undefined;
  subcode?: number | undefined;
  /** True if the platform says that a repeated call may succeed. */
  isTransient?: boolean;
  title?: string | undefined;
  /** The platform's explanation. */
  message?: string;
}

/** An error that a callback reported. `code` is 0 if the platform gave none. */
export interface ReportedError {
  code: number;
  title: string;
  message: string;
}

/** One status of one message, as a callback reported it. */
export interface StatusReport {
  phoneNumberId: string;
  /** The platform's id of the message, as its send returned it. */
  messageRef: string;
  /** Our id of the message, if the platform returned it. */
  correlationId: string | null;
  status: 'sent' | 'delivered' | 'read' | 'failed';
  /** Epoch seconds of the platform's clock. */
  timestamp: number;
  priceCategory: string | null;
  billable: boolean | null;
  error: ReportedError | null;
}

/** A change of a template that a callback reported; absent members did not change. */
export interface TemplateReport {
  businessAccountId: string;
  providerTemplateId: string;
  /** Epoch seconds of the platform's clock; null if the callback has no time. */
  timestamp: number | null;
  /** The new status. */
  status?: { state: TemplateState; providerStatus: string };
  /** The current category, never one that is only announced. */
  category?: string;
  /** A category that the template gets later, at `timestamp` in epoch seconds; null if no time was given. */
  nextCategory?: { category: string; timestamp: number | null };
  /** Null if the platform has no score yet. */
  qualityScore?: string | null;
  /** Why the status changed, in the platform's words; null if it gave no reason. */
  reason?: string | null;
  /** True if the report does not say what changed, as for components: the template must be read again. */
  mustRead?: boolean;
}

/** What may be done with a template that is not approved. */
export interface UnapprovedTemplate {
  isEditable: boolean;
  isRejected: boolean;
  /** True if its pause can be ended. */
  isPaused: boolean;
}

/** An error that a callback reported for a number as a whole, not for a message. */
export interface NumberReport {
  phoneNumberId: string;
  /** Epoch seconds of the platform's clock; null if the callback has no time. */
  timestamp: number | null;
  error: ReportedError;
}

export interface CallbackContent {
  statuses: StatusReport[];
  templates: TemplateReport[];
  numbers: NumberReport[];
  /** Inbound messages, in the order of the callback. */
  received: ReceivedMessage[];
  /** People to whom messages of these reports went, each message's at least once; only those whose number and id are known. */
  recipients: RecipientReport[];
  identities: IdentityReport[];
  /** In the order of the callback. */
  preferences: PreferenceReport[];
  notices: AccountNotice[];
  /** How many changes were ignored: unknown kinds. */
  ignored: number;
}

/** A request of the platform to a number's callback address. */
export interface CallbackRequest {
  /** The public URL with its query: some platforms sign it. */
  url: string;
  /** Names in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface Callback extends CallbackRequest {
  rawBody: Buffer;
}

/** A file to upload, streamed. `size` is in bytes. */
export interface FileToUpload {
  stream: Readable;
  size: number;
  mimeType: string;
  fileName: string;
}

/**
 * A messaging platform. Every call throws `VendorError` with one of its three outcomes; a rejection has the platform's
 * `code`, `title` and full explanation. Adapters never retry: the workers decide that.
 */
export interface MessagingPlatform {
  /** The vendor's name, as logs show it. */
  readonly provider: string;
  readonly advice: PlatformAdvice;
  sendTemplate(sender: SenderAccess, message: OutgoingMessage): Promise<SentMessage>;
  /** Sends a message that is not a template: the platform allows it for a time after the person wrote. */
  sendReply(sender: SenderAccess, reply: OutgoingReply): Promise<SentMessage>;
  /** Marks an inbound message and all earlier ones as read; with `typing`, also shows for a while that an answer is being typed. */
  markRead(sender: SenderAccess, message: { messageRef: string; typing: boolean }): Promise<void>;
  /** Returns how to react to a rejection. */
  classify(rejection: PlatformRejection): RejectionClass;
  /** True if a halt after this rejection ends by itself: the number may be tried again once the platform shows that it can send. */
  isTemporary(rejection: PlatformRejection): boolean;
  /** Returns the `providerStatus` that a rejected send reveals of its template; undefined if it reveals none. */
  templateStatusOf(rejection: PlatformRejection): string | undefined;
  /** What may be done with an unapproved template of this `providerStatus`; a rejected one may be submitted again. */
  unapprovedTemplate(providerStatus: string): UnapprovedTemplate;
  /** Returns one page of the business account's templates; `after` is the cursor that the previous page returned. */
  listTemplates(
    sender: SenderAccess,
    after?: string,
  ): Promise<{ templates: PlatformTemplate[]; after: string | undefined }>;
  readTemplate(sender: SenderAccess, providerTemplateId: string): Promise<PlatformTemplate>;
  createTemplate(
    sender: SenderAccess,
    draft: TemplateDraft,
  ): Promise<Pick<PlatformTemplate, 'providerTemplateId' | 'state' | 'providerStatus' | 'category'>>;
  /** Edits a template, which is reviewed again, and returns its state then. */
  editTemplate(
    sender: SenderAccess,
    edit: TemplateEdit,
  ): Promise<Pick<PlatformTemplate, 'state' | 'providerStatus'>>;
  deleteTemplate(sender: SenderAccess, template: { name: string; providerTemplateId: string }): Promise<void>;
  /** Ends the pause of a template; an error with the platform's reason if it does not. Safe to repeat. */
  unpauseTemplate(sender: SenderAccess, providerTemplateId: string): Promise<void>;
  /** Returns the state of the number. */
  readNumber(sender: SenderAccess): Promise<PhoneNumber>;
  /** Returns the id of the app that the credential belongs to. */
  readAppId(sender: SenderAccess): Promise<string>;
  /** Inspects the credential in the name of its app, which also verifies the app's secret. */
  inspectCredential(sender: SenderAccess, app: PlatformApp): Promise<CredentialInspection>;
  /** Registers the number for the platform's API. Call it once: the platform locks a number after ten attempts. */
  registerNumber(sender: SenderAccess, pin: string): Promise<void>;
  readSubscription(sender: SenderAccess, app: PlatformApp): Promise<Subscription>;
  /** Needs the app's secret alone: it works with a credential that was revoked. */
  readAppCallback(sender: SenderAccess, app: PlatformApp): Promise<AppCallback>;
  /** Subscribes the app to the business account; with `override`, sends its messages and statuses to that address. */
  subscribe(sender: SenderAccess, override?: CallbackTarget): Promise<void>;
  /** Sets the app's own address and the kinds of callback. The platform makes its handshake before it returns. */
  setAppCallback(sender: SenderAccess, app: PlatformApp, target: CallbackTarget): Promise<void>;
  /** Uploads a file for this number. */
  uploadMedia(
    sender: SenderAccess,
    file: FileToUpload,
    timeoutMs: number,
  ): Promise<{ platformMediaId: string }>;
  /** Uploads a sample of a media header for the platform's review; a draft names it by the returned handle. */
  uploadSample(sender: SenderAccess, file: FileToUpload, timeoutMs: number): Promise<{ handle: string }>;
  deleteMedia(sender: SenderAccess, platformMediaId: string): Promise<void>;
  /** Opens the file of an inbound message. Sends the credential only to hosts that the platform documents. */
  openReceivedMedia(of: {
    sender: SenderAccess;
    mediaRef: string;
    maxBytes: number;
    /** For the whole download. */
    timeoutMs: number;
  }): Promise<OpenedMedia>;
  /** Returns the text that completes the platform's handshake; undefined if the request does not know the token. */
  answerHandshake(request: CallbackRequest, verifyToken: string): string | undefined;
  /** Returns false if the headers cannot belong to a valid callback, so that its body need not be read. */
  canBeSigned(request: CallbackRequest): boolean;
  /** Verifies that the platform made this callback, in constant time. */
  verifyCallback(callback: Callback, secret: string): boolean;
  /** Reads a verified callback and ignores unknown members and kinds. Throws AppError `invalid_request` if it is none. */
  readCallback(callback: Callback): CallbackContent;
}
