// What a person is called. Pure.
import type { Contact } from '../../../client/src/generated.ts';

/** The name in the profile, else the number, else the platform's id. */
export const nameOf = ({ name, phone, userId }: Pick<Contact, 'name' | 'phone' | 'userId'>): string =>
  name ?? phone ?? userId ?? '';
