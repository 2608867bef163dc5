// Helpers for tests of drafts: calls by the path below /v1/sends, new phones, and what a send shows.
import type { Added } from '../../src/messaging/campaigns/add-recipients.ts';
import type { Gateway } from './gateway.ts';

export interface SendShown {
  sendId: string;
  state: string;
  total: number;
  name: string | null;
  sendAt: string | null;
  expiresInSeconds: number;
  expiresAt: string | null;
  counts: Record<string, number>;
}

export interface RecipientShown {
  id: string;
  phone: string;
  name: string | null;
  status: string;
  metadata: Record<string, string> | null;
}

interface RecipientPage {
  items: RecipientShown[];
  pagination: { nextCursor: string | null };
}

/** Calls on sends of a gateway with these templates. */
export function openDrafts(gateway: Gateway, templateIds: Record<string, string>, firstPhone: number) {
  let lastPhone = firstPhone;
  const call = <T = SendShown>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => gateway.call<T>(method, `/v1/sends${path}`, { body, ...(headers ? { headers } : {}) });
  return {
    call,
    phone: () => String(++lastPhone),
    draft: async (name = 'plain', more: object = {}) =>
      (await call('POST', '', { templateId: templateIds[name], ...more })).body.data.sendId,
    sendOf: async (id: string) => (await call('GET', `/${id}`)).body.data,
    add: (id: string, recipients: unknown[]) => call<Added>('POST', `/${id}/recipients`, { recipients }),
    upload: (id: string, text: string | Uint8Array, type = 'text/csv', query = '') =>
      call<Added>('POST', `/${id}/recipients${query}`, text, { 'Content-Type': type }),
    recipientsOf: async (id: string, query = '') =>
      (await call<RecipientPage>('GET', `/${id}/recipients${query}`)).body.data,
  };
}
