// Checks of messages that are not templates, as the platform makes them: kinds, required members, lengths (pure).
import { badParam, rejection } from './errors.ts';

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

const kinds: Record<string, (body: Json) => void> = {
  text: (body) => {
    textAt(objectAt(body, 'text'), 'body', 4096, 'text.body');
  },
};

/** Rejects a message whose kind or content the platform does not take. */
export function checkReply(body: Json): void {
  const type = body.type ?? 'text';
  const check = typeof type === 'string' ? kinds[type] : undefined;
  if (!check) throw rejection(131051, `Message type '${String(type).slice(0, 40)}' is not supported`);
  check(body);
  if (body.context === undefined) return;
  textAt(objectAt(body, 'context'), 'message_id', 512, 'context.message_id');
}
