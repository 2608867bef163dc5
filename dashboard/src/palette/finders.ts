// What the palette finds by what was typed, of each kind that the session may read.
import { isGatewayError } from '../../../client/src/errors.ts';
import { api } from '../api/client.ts';
import { searchOf } from '../messages/filter.ts';

/** Where an entry leads, and how it is shown. */
export interface Entry {
  href: string;
  label: string;
  note?: string;
}

export interface Finder {
  kind: 'contacts' | 'messages' | 'templates' | 'sends' | 'endpoints';
  scope: string;
  find: (typed: string) => Promise<Entry[]>;
}

const most = 5;
/** Campaigns have no search: this many of the newest are looked through. */
const sendsRead = 100;

/** What the id names; nothing if it names nothing of that kind. */
async function byId<T>(read: Promise<T>, entryOf: (found: T) => Entry): Promise<Entry[]> {
  try {
    return [entryOf(await read)];
  } catch (error) {
    if (isGatewayError(error) && error.status === 404) return [];
    throw error;
  }
}

const has = (typed: string, ...texts: (string | null | undefined)[]): boolean =>
  texts.some((text) => text?.toLowerCase().includes(typed.toLowerCase()));

async function findContacts(typed: string): Promise<Entry[]> {
  const asked = searchOf(typed);
  const entryOf = ({ _id, name, phone, userId }: Awaited<ReturnType<typeof api.getContact>>): Entry => ({
    href: `/conversations/${_id}`,
    label: name ?? phone ?? userId ?? _id,
    ...(phone && name ? { note: phone } : {}),
  });
  if ('id' in asked) return byId(api.getContact({ id: asked.id }), entryOf);
  if (!('name' in asked || 'phone' in asked)) return [];
  return (await api.listContacts({ search: typed, limit: most })).items.map(entryOf);
}

async function findMessages(typed: string): Promise<Entry[]> {
  const asked = searchOf(typed);
  const entryOf = ({
    id,
    name,
    recipientPhone,
    templateName,
  }: Awaited<ReturnType<typeof api.getMessage>>): Entry => ({
    href: `/messages/${id}`,
    label: name ?? recipientPhone ?? id,
    ...(templateName ? { note: templateName } : {}),
  });
  if ('id' in asked) return byId(api.getMessage({ id: asked.id }), entryOf);
  return [{ href: `/messages?${new URLSearchParams(asked as Record<string, string>)}`, label: typed }];
}

async function findTemplates(typed: string): Promise<Entry[]> {
  const asked = searchOf(typed);
  const entryOf = ({
    _id,
    providerTemplateName,
    language,
  }: Pick<
    Awaited<ReturnType<typeof api.getTemplate>>,
    '_id' | 'providerTemplateName' | 'language'
  >): Entry => ({
    ...{ href: `/templates/${_id}`, label: providerTemplateName, note: language },
  });
  if ('id' in asked) return byId(api.getTemplate({ templateId: asked.id }), entryOf);
  return (await api.listTemplates({ search: typed, limit: most })).items.map(entryOf);
}

async function findSends(typed: string): Promise<Entry[]> {
  const asked = searchOf(typed);
  const entryOf = ({ sendId, name }: { sendId: string; name?: string | null }): Entry => ({
    ...{ href: `/sends/${sendId}`, label: name ?? sendId },
  });
  if ('id' in asked) return byId(api.getSend({ sendId: asked.id }), entryOf);
  const { items } = await api.listSends({ limit: sendsRead });
  return items
    .filter(({ name }) => has(typed, name))
    .slice(0, most)
    .map(entryOf);
}

async function findEndpoints(typed: string): Promise<Entry[]> {
  const asked = searchOf(typed);
  if ('id' in asked)
    return [
      ...(await byId(api.getEndpoint({ id: asked.id }), endpointEntry)),
      ...(await byId(api.getDelivery({ id: asked.id }), ({ _id, event }) => ({
        ...{ href: `/webhooks/deliveries/${_id}`, label: event, note: _id },
      }))),
    ];
  const { items } = await api.listEndpoints({ limit: 100 });
  return items
    .filter(({ url, description }) => has(typed, url, description))
    .slice(0, most)
    .map(endpointEntry);
}

const endpointEntry = ({ _id, url, description }: Awaited<ReturnType<typeof api.getEndpoint>>): Entry => ({
  ...{ href: `/webhooks/endpoints/${_id}`, label: url },
  ...(description ? { note: description } : {}),
});

export const finders: readonly Finder[] = [
  { kind: 'contacts', scope: 'conversations:read', find: findContacts },
  { kind: 'sends', scope: 'messages:read', find: findSends },
  { kind: 'templates', scope: 'templates:read', find: findTemplates },
  { kind: 'endpoints', scope: 'webhooks:manage', find: findEndpoints },
  { kind: 'messages', scope: 'messages:read', find: findMessages },
];
