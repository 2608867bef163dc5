// Inbound messages and changes of people's identities, as a callback of the platform reports them. Interfaces only.
import type { Readable } from 'node:stream';

/** The person behind an inbound message, with everything that the platform calls them. */
export interface ReceivedPerson {
  /** The present number, in digits; null if the platform hides it. */
  phone: string | null;
  /** The platform's present id of the person. */
  userId: string | null;
  name: string | null;
  /** Other numbers and ids of the same person: earlier ones, and ids that cover several businesses. */
  otherPhones: string[];
  otherUserIds: string[];
}

/** A person whom a message was sent to, by number and id. */
export interface RecipientReport {
  phoneNumberId: string;
  person: ReceivedPerson;
}

/** A file of an inbound message. */
export interface ReceivedMedia {
  mimeType: string | null;
  /** As the platform gave it. */
  sha256: string | null;
  fileName?: string;
  caption?: string;
  /** True for a recorded voice message. */
  voice?: boolean;
}

/** A contact card. */
export interface ReceivedCard {
  name: string | null;
  phones: { phone: string; type?: string; userPhone?: string }[];
  emails?: { email: string; type?: string }[];
  company?: string;
  /** Where the card comes from, in the platform's word: `contact_request` answers a button of a template. */
  origin?: string;
}

/** The parsed members of an inbound message; absent ones do not apply to its type. */
export interface ReceivedContent {
  text?: string;
  /** The quick-reply button of a template. */
  button?: { payload: string | null; text: string | null };
  /** The answer to buttons, a list, a form or a request. */
  interactive?: {
    /** The platform's own word. */
    type: string;
    id?: string;
    title?: string;
    description?: string;
    name?: string;
    body?: string;
    /** The answers of a form, or the response to a request. */
    response?: unknown;
  };
  media?: ReceivedMedia;
  location?: { latitude: number; longitude: number; name?: string; address?: string; url?: string };
  contacts?: ReceivedCard[];
  /** `emoji` is null if the person removed the reaction. */
  reaction?: { messageId: string; emoji: string | null };
  order?: {
    catalogId: string | null;
    text: string | null;
    items: {
      productId: string | null;
      quantity: number | null;
      price: number | null;
      currency: string | null;
    }[];
  };
}

/** One inbound message, known kind or not. */
export interface ReceivedMessage {
  phoneNumberId: string;
  /** The platform's id of the message; null if it could not be read. */
  messageRef: string | null;
  /** The sender's number and id as this message gives them. */
  phone: string | null;
  userId: string | null;
  /** Null if the message names nobody. */
  person: ReceivedPerson | null;
  /** The platform's own word; `unknown` if it gave none. */
  type: string;
  /** True if the person wrote it, so that they may be answered freely for a time; false for notices. */
  isFromPerson: boolean;
  /** Epoch seconds of the platform's clock; null if it could not be read. */
  timestamp: number | null;
  content: ReceivedContent;
  /** The platform's id of the media, which `openReceivedMedia` takes. */
  mediaRef: string | null;
  /** The platform's id of the message that this one answers, quotes or reacts to. */
  contextRef: string | null;
  /** The platform's object as it was received. */
  raw: string;
}

/** A notice that what the platform calls a person has changed. */
export interface IdentityReport {
  /** Null if the notice names no number; it then holds for the numbers of the business account. */
  phoneNumberId: string | null;
  businessAccountId: string;
  person: ReceivedPerson;
}

/** A notice that a person stopped marketing messages of the business, or wants them again. */
export interface PreferenceReport {
  /** Null if the notice names no number; it then holds for the numbers of the business account. */
  phoneNumberId: string | null;
  businessAccountId: string;
  person: ReceivedPerson;
  wantsMarketing: boolean;
  /** Epoch seconds of the platform's clock; null if it could not be read. */
  timestamp: number | null;
  /** The platform's own words. */
  detail: string | null;
}

/** Inbound media, opened for one download. */
export type OpenedMedia =
  | {
      outcome: 'opened';
      /** Fails if the platform's connection breaks or the file exceeds the limit. Destroy it to stop early. */
      content: Readable;
      /** As the platform names it. */
      mimeType: string | null;
      /** In bytes; null if the platform did not say. */
      size: number | null;
    }
  /** The platform no longer has the file. */
  | { outcome: 'gone' }
  | { outcome: 'too_large' };
