// A message to send: a template's values, and how its header and buttons are filled; or the content of a reply. Interfaces only.

/** One value for one placeholder; `name` only in templates with named parameters. */
export interface FilledText {
  name?: string;
  text: string;
}

/** A file in a header: of ours, or at an address that the platform fetches. */
export interface FilledMedia {
  kind: 'media';
  media: 'image' | 'video' | 'document';
  fileName?: string;
  /** The address; without it, the file is ours. */
  link?: string;
  /** Our id of the file of a card. The file of the message's own header is stored with the message. */
  mediaId?: string;
}

export type FilledHeader =
  | { kind: 'text'; values: FilledText[] }
  | FilledMedia
  | { kind: 'location'; latitude: number; longitude: number; name: string; address: string }
  | { kind: 'product'; productId: string; catalogId: string };

/** What a button needs. A button that needs nothing has no entry. */
export type FilledButton =
  | { index: number; subType: 'url' | 'copy_code' | 'otp'; value: string; name?: string }
  | { index: number; subType: 'quick_reply'; payload: string }
  | { index: number; subType: 'flow'; token?: string; data?: object }
  | { index: number; subType: 'catalog'; thumbnailProductId: string }
  | { index: number; subType: 'products'; thumbnailProductId: string; sections: ProductSection[] };

export interface ProductSection {
  title: string;
  productIds: string[];
}

/** The values of one card, or of the message around the cards. */
export interface FilledParts {
  header?: FilledHeader;
  body: FilledText[];
  buttons: FilledButton[];
}

/** The values that fill a template, in the order of its placeholders. */
export interface FilledTemplate extends FilledParts {
  /** When a limited-time offer ends, in epoch milliseconds. */
  offerExpiresAt?: number;
  /** The cards of a carousel, as many as the template has. */
  cards?: FilledParts[];
}

export interface OutgoingMessage {
  /** Digits with country code, without `+`. */
  phone: string;
  templateName: string;
  language: string;
  filled: FilledTemplate;
  /** The platform's id of the header's media for this number. */
  platformMediaId?: string;
  /** The same for each file of cards, by our id. */
  cardMediaIds?: ReadonlyMap<string, string>;
  /** Our id of the message. A platform that can return it with each status finds the message faster. */
  correlationId: string;
}

/** The platform's response to a message. */
export interface SentMessage {
  /** The platform's id of the message. */
  messageRef: string;
  /** True if the platform delays it. */
  held: boolean;
  /** The platform's own form of the recipient's number, in digits, if it differs from the one given. */
  recipientPhone?: string;
}

/** A contact card of a reply. */
export interface ReplyCard {
  name: string;
  firstName: string;
  lastName?: string;
  /** `userPhone`: the platform's own form of the number, in digits, if the person uses the platform. */
  phones: { phone: string; type?: string; userPhone?: string }[];
  emails: { email: string; type?: string }[];
  urls: { url: string; type?: string }[];
  company?: string;
}

/** What a reply says. */
export type ReplyContent =
  | { kind: 'text'; text: string }
  /** A file of ours, stored with the message and named by its public `mediaId`; or one that the platform fetches. */
  | {
      kind: 'media';
      media: 'image' | 'video' | 'document' | 'audio' | 'sticker';
      mediaId?: string;
      link?: string;
      caption?: string;
      fileName?: string;
    }
  | { kind: 'location'; latitude: number; longitude: number; name?: string; address?: string }
  | { kind: 'contacts'; cards: ReplyCard[] }
  /** An empty emoji removes the reaction. */
  | { kind: 'reaction'; emoji: string }
  | { kind: 'buttons'; text: string; buttons: { id: string; title: string }[] }
  | {
      kind: 'list';
      text: string;
      /** The text of the button that opens the list. */
      button: string;
      sections: { title?: string; rows: { id: string; title: string; description?: string }[] }[];
    }
  | { kind: 'link'; text: string; title: string; url: string };

/** A reply: either `phone` or `userId` is set. */
export interface OutgoingReply {
  /** Digits with country code, without `+`. */
  phone: string | null;
  /** The platform's id of the person. */
  userId: string | null;
  content: ReplyContent;
  /** The platform's id of the message to quote, or to react to. */
  replyTo?: string;
  /** The platform's id of its file for this number. */
  platformMediaId?: string;
  /** Our id of the message, as in `OutgoingMessage`. */
  correlationId: string;
}
