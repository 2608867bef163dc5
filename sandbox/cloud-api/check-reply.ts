// Checks of messages that are not templates, as the platform makes them: kinds, required members, lengths (pure).
import type { MediaSource } from './check-parts.ts';
import { badParam, type Rejection, rejection } from './errors.ts';

type Json = Record<string, unknown>;

const objectAt = (body: Json, member: string): Json => {
  const value = body[member];
  if (value === undefined || value === null) throw rejection(131008, `Parameter '${member}' is required`);
  if (typeof value !== 'object' || Array.isArray(value))
    throw rejection(131009, `Parameter '${member}' must be an object`);
  return value as Json;
};

/** A text of 1 to `max` characters. */
function textAt(of: Json, member: string, max: number, path = member): string {
  const value = of[member];
  if (value === undefined || value === null || value === '')
    throw rejection(131008, `Parameter '${path}' is required`);
  if (typeof value !== 'string') throw rejection(131009, `Parameter '${path}' must be a string`);
  if ([...value].length > max) throw badParam(`Param ${path} must be at most ${max} characters long.`);
  return value;
}

const listAt = (of: Json, member: string, max: number, path = member): Json[] => {
  const value = of[member];
  if (value === undefined || value === null) throw rejection(131008, `Parameter '${path}' is required`);
  if (!Array.isArray(value)) throw rejection(131009, `Parameter '${path}' must be an array`);
  if (value.length === 0) throw rejection(131008, `Parameter '${path}' is required`);
  if (value.length > max) throw rejection(131009, `Parameter '${path}' must have at most ${max} elements`);
  return value as Json[];
};

/** A text that no other element has. */
function uniqueText(list: readonly Json[], member: string, max: number, path: string): void {
  const texts = list.map((one) => textAt(one, member, max, `${path}.${member}`));
  if (new Set(texts).size < texts.length) throw rejection(131009, `Duplicated ${path} ${member}`);
  if (texts.some((text) => text !== text.trim()))
    throw rejection(131009, `${path} ${member} has leading or trailing spaces`);
}

const lostMedia = (type: string, id: string, code: number): Rejection =>
  code === 100
    ? badParam(`Param ${type}['id'] is not a valid whatsapp business account media attachment ID`)
    : rejection(code, `${type}: the media ${id} does not exist or has expired`);

const captioned = ['image', 'video', 'document'];

/** A file by an upload of this number, or by its address. */
function checkMedia(type: string, body: Json, { mediaById, lostMediaCode }: MediaSource): void {
  const media = objectAt(body, type);
  if ((media.id === undefined) === (media.link === undefined))
    throw rejection(131008, `${type}: one of id and link is required`);
  if (media.caption !== undefined) {
    if (!captioned.includes(type)) throw badParam(`Unexpected key "caption" on param "${type}".`);
    textAt(media, 'caption', 1024, `${type}.caption`);
  }
  if (media.filename !== undefined && type !== 'document')
    throw badParam(`Unexpected key "filename" on param "${type}".`);
  if (media.link !== undefined) {
    if (!/^https?:\/\/\S+$/.test(String(media.link)))
      throw rejection(131009, `${type}.link is not a valid URI`);
    return;
  }
  const found = mediaById(String(media.id));
  if (!found) throw lostMedia(type, String(media.id), lostMediaCode);
  const family = found.mimeType.split('/')[0];
  const fits =
    type === 'document' || (type === 'sticker' ? found.mimeType === 'image/webp' : family === type);
  if (!fits) throw rejection(131053, `${type}: the media is of type ${found.mimeType}`);
}

function checkLocation(body: Json): void {
  const location = objectAt(body, 'location');
  for (const [member, most] of [
    ['latitude', 90],
    ['longitude', 180],
  ] as const) {
    const value = location[member];
    if (value === undefined || value === '') throw rejection(131008, `location.${member} is required`);
    if (!(Math.abs(Number(value)) <= most)) throw rejection(131009, `location.${member} is not valid`);
  }
}

function checkContacts(body: Json): void {
  for (const contact of listAt(body, 'contacts', 257)) {
    const name = objectAt(contact, 'name');
    textAt(name, 'formatted_name', 1024, 'contacts.name.formatted_name');
    if (Object.keys(name).length < 2)
      throw rejection(131008, 'contacts.name: one more member than formatted_name is required');
  }
}

function checkButtons(interactive: Json): void {
  textAt(objectAt(interactive, 'body'), 'text', 1024, 'interactive.body.text');
  const buttons = listAt(objectAt(interactive, 'action'), 'buttons', 3, 'interactive.action.buttons');
  if (buttons.some((button) => button.type !== 'reply'))
    throw rejection(131009, 'interactive.action.buttons: type must be reply');
  const replies = buttons.map((button) => objectAt(button, 'reply'));
  uniqueText(replies, 'id', 256, 'button');
  uniqueText(replies, 'title', 20, 'button');
}

function checkList(interactive: Json): void {
  textAt(objectAt(interactive, 'body'), 'text', 4096, 'interactive.body.text');
  const action = objectAt(interactive, 'action');
  textAt(action, 'button', 20, 'interactive.action.button');
  const sections = listAt(action, 'sections', 10, 'interactive.action.sections');
  for (const section of sections)
    if (sections.length > 1 || section.title !== undefined) textAt(section, 'title', 24, 'section title');
  const rows = sections.flatMap((section) => listAt(section, 'rows', 10, 'section rows'));
  if (rows.length > 10) throw rejection(131009, 'Total row count exceed max allowed count: 10');
  uniqueText(rows, 'id', 200, 'row');
  for (const row of rows) {
    textAt(row, 'title', 24, 'row title');
    if (row.description !== undefined) textAt(row, 'description', 72, 'row description');
  }
}

function checkLink(interactive: Json): void {
  textAt(objectAt(interactive, 'body'), 'text', 1024, 'interactive.body.text');
  const action = objectAt(interactive, 'action');
  if (action.name !== 'cta_url') throw rejection(131009, 'interactive.action.name must be cta_url');
  const parameters = objectAt(action, 'parameters');
  textAt(parameters, 'display_text', 20, 'interactive.action.parameters.display_text');
  if (!/^https?:\/\/\S+$/.test(textAt(parameters, 'url', 2000, 'interactive.action.parameters.url')))
    throw rejection(131009, 'interactive.action.parameters.url is not a valid URI');
}

const interactiveKinds: Record<string, (interactive: Json) => void> = {
  button: checkButtons,
  list: checkList,
  cta_url: checkLink,
};

const kinds: Record<string, (body: Json, source: MediaSource) => void> = {
  text: (body) => {
    textAt(objectAt(body, 'text'), 'body', 4096, 'text.body');
  },
  ...Object.fromEntries(
    ['image', 'video', 'document', 'audio', 'sticker'].map((type) => [
      type,
      (body: Json, source: MediaSource) => checkMedia(type, body, source),
    ]),
  ),
  location: checkLocation,
  contacts: checkContacts,
  reaction: (body) => {
    const reaction = objectAt(body, 'reaction');
    textAt(reaction, 'message_id', 512, 'reaction.message_id');
    if (typeof reaction.emoji !== 'string') throw rejection(131008, "Parameter 'reaction.emoji' is required");
    if (body.context !== undefined) throw badParam('Unexpected key "context" on a reaction.');
  },
  interactive: (body) => {
    const interactive = objectAt(body, 'interactive');
    const check = interactiveKinds[String(interactive.type)];
    if (!check) throw rejection(131009, `interactive.type '${String(interactive.type)}' is not supported`);
    check(interactive);
  },
};

/** Members that belong to one type, and are rejected with another. */
const typed = Object.keys(kinds);

/** Rejects a message whose kind or content the platform does not take. */
export function checkReply(body: Json, source: MediaSource): void {
  const type = body.type ?? 'text';
  const check = typeof type === 'string' ? kinds[type] : undefined;
  if (!check) throw rejection(131051, `Message type '${String(type).slice(0, 40)}' is not supported`);
  const stray = typed.find((other) => other !== type && body[other] !== undefined);
  if (stray !== undefined) throw badParam(`Unexpected key "${stray}" on a message of type ${String(type)}.`);
  check(body, source);
  if (body.context === undefined) return;
  textAt(objectAt(body, 'context'), 'message_id', 512, 'context.message_id');
}
