// What the platform asks of a template at creation, and what it makes of an authentication template's parts (pure).
import { badParam, badTemplate } from './errors.ts';
import type { Button, Component } from './model.ts';
import { textShape } from './template-shape.ts';

/** The parts of a creation that are checked here. */
export interface TemplateDraft {
  name: string;
  language: string;
  category: string;
  parameterFormat: 'POSITIONAL' | 'NAMED';
  components: Component[];
}

const categories = ['MARKETING', 'UTILITY', 'AUTHENTICATION'];
const mediaFormats = ['IMAGE', 'VIDEO', 'DOCUMENT', 'GIF'];

/**
 * Reads the body of `POST /{waba-id}/message_templates`; throws the platform's refusal for the first fault.
 * `isHandle` says whether an upload made this header sample's handle.
 */
export function readDraft(body: unknown, isHandle: (handle: string) => boolean): TemplateDraft {
  const given = (body ?? {}) as Record<string, unknown>;
  const { name, language } = given;
  if (typeof name !== 'string') throw badParam('The parameter name is required.');
  if (typeof language !== 'string') throw badParam('The parameter language is required.');
  if (!/^[a-z0-9_]{1,512}$/.test(name))
    throw badTemplate(
      2388072,
      'Invalid template name',
      'Names are lower-case letters, digits and _, at most 512.',
    );
  if (!/^[a-z]{2,3}(_[A-Z]{2,3})?$/.test(language))
    throw badParam(`Param language must be one of {af, sq, ar, en_US…}`);
  const category = String(given.category ?? '').toUpperCase();
  if (!categories.includes(category))
    throw badParam(`Param category must be one of {${categories.join(', ')}}`);
  const components = given.components;
  if (!Array.isArray(components) || components.some((c) => typeof c?.type !== 'string'))
    throw badParam('The parameter components is required.');
  const parameterFormat =
    String(given.parameter_format ?? 'POSITIONAL').toUpperCase() === 'NAMED' ? 'NAMED' : 'POSITIONAL';
  const draft: TemplateDraft = {
    name,
    language,
    category,
    parameterFormat,
    components: components as Component[],
  };
  if (category === 'AUTHENTICATION') return { ...draft, components: authenticationParts(draft.components) };
  for (const type of ['HEADER', 'BODY', 'FOOTER', 'BUTTONS']) checkOne(draft, type, isHandle);
  return draft;
}

function checkOne(draft: TemplateDraft, type: string, isHandle: (handle: string) => boolean): void {
  const found = draft.components.filter((c) => String(c.type).toUpperCase() === type);
  if (found.length > 1) throw bad(`There can be only one ${type} component.`);
  const [part] = found;
  if (!part) {
    if (type === 'BODY') throw bad('A BODY component is required.');
    return;
  }
  if (type === 'HEADER') checkHeader(draft, part, isHandle);
  if (type === 'BODY') checkBody(draft, part);
  if (type === 'FOOTER') checkFooter(part);
  if (type === 'BUTTONS') checkButtons(part.buttons ?? []);
}

function checkHeader(draft: TemplateDraft, part: Component, isHandle: (handle: string) => boolean): void {
  const format = String(part.format ?? '').toUpperCase();
  if (format === 'LOCATION') return;
  if (format === 'TEXT') {
    const text = part.text ?? '';
    if (text.length === 0 || text.length > 60) throw bad('The header text must have 1 to 60 characters.');
    if (textShape(text).names.length > 1) throw bad('The header can have one variable only.');
    checkVariables(
      draft,
      text,
      part.example?.header_text ?? part.example?.header_text_named_params,
      'header',
    );
    return;
  }
  if (!mediaFormats.includes(format)) throw bad('The header format is not valid.');
  const handle = (part.example?.header_handle as unknown[] | undefined)?.[0];
  if (typeof handle !== 'string' || !isHandle(handle))
    throw badTemplate(
      2388273,
      'Missing sample media',
      'Give the handle of an uploaded sample in example.header_handle.',
    );
}

function checkBody(draft: TemplateDraft, part: Component): void {
  const text = part.text ?? '';
  if (text.length === 0 || text.length > 1024) throw bad('The body text must have 1 to 1024 characters.');
  if (/^\s*\{\{|\}\}\s*$/.test(text))
    throw badTemplate(
      2388299,
      'Variables cannot be at the start or end of the template',
      'Add text around them.',
    );
  checkVariables(draft, text, part.example?.body_text ?? part.example?.body_text_named_params, 'body');
}

function checkVariables(draft: TemplateDraft, text: string, examples: unknown, where: string): void {
  const { names } = textShape(text);
  if (names.length === 0) return;
  const inOrder = names.every((name, i) => name === String(i + 1));
  if (draft.parameterFormat === 'POSITIONAL' ? !inOrder : !names.every((n) => /^[a-z][a-z0-9_]*$/.test(n)))
    throw badTemplate(
      2388040,
      'Invalid variables',
      `The ${where} variables must be {{1}}, {{2}}… or named in lower case.`,
    );
  const given = Array.isArray(examples) ? (Array.isArray(examples[0]) ? examples[0] : examples) : [];
  if (given.length !== names.length)
    throw badTemplate(
      2388043,
      'Missing examples',
      `The ${where} needs an example for each of its variables.`,
    );
}

function checkFooter(part: Component): void {
  const text = part.text ?? '';
  if (text.length === 0 || text.length > 60) throw bad('The footer text must have 1 to 60 characters.');
  if (textShape(text).names.length > 0) throw bad('The footer cannot have variables.');
}

const mostOf: Record<string, number> = { QUICK_REPLY: 10, URL: 2, PHONE_NUMBER: 1, COPY_CODE: 1 };

function checkButtons(buttons: Button[]): void {
  if (buttons.length === 0 || buttons.length > 10) throw bad('There can be 1 to 10 buttons.');
  const types = buttons.map((button) => String(button.type).toUpperCase());
  for (const type of types)
    if (types.filter((t) => t === type).length > (mostOf[type] ?? 1))
      throw bad(`Too many buttons of type ${type}.`);
  const replies = types.map((type, i) => (type === 'QUICK_REPLY' ? i : -1)).filter((i) => i >= 0);
  const [firstReply, lastReply] = [replies[0] ?? 0, replies.at(-1) ?? -1];
  if (replies.length > 0 && lastReply - firstReply + 1 !== replies.length)
    throw bad('Quick replies must stand together.');
  for (const button of buttons) checkButton(button);
}

function checkButton(button: Button): void {
  const type = String(button.type).toUpperCase();
  if (type !== 'COPY_CODE' && (!button.text || button.text.length > 25))
    throw bad('A button text has 1 to 25 characters.');
  if (type === 'URL') {
    const url = button.url ?? '';
    if (!/^https?:\/\//.test(url) || url.length > 2000) throw bad('The button URL is not valid.');
    const { uses } = textShape(url);
    if (uses.length > 1 || (uses.length === 1 && !url.endsWith('}}')))
      throw bad('A button URL can have one variable, at its end.');
    if (uses.length === 1 && !button.example) throw bad('A button URL with a variable needs an example.');
  }
  if (type === 'PHONE_NUMBER' && !/^\+?\d{5,20}$/.test(button.phone_number ?? ''))
    throw bad('The button phone number is not valid.');
  if (type === 'COPY_CODE' && String(button.example ?? '').length > 15)
    throw bad('The code has at most 15 characters.');
}

/** The platform writes an authentication template's texts itself; the OTP button reads back as a URL button. */
function authenticationParts(given: Component[]): Component[] {
  const part = (type: string) => given.find((c) => String(c.type).toUpperCase() === type);
  const otp = part('BUTTONS')?.buttons?.[0];
  if (String(otp?.type).toUpperCase() !== 'OTP' || !otp)
    throw bad('An authentication template needs one OTP button.');
  const advice = part('BODY')?.add_security_recommendation
    ? ' For your security, do not share this code.'
    : '';
  const minutes = part('FOOTER')?.code_expiration_minutes;
  const url = `https://www.whatsapp.com/otp/code/?otp_type=${otp.otp_type ?? 'COPY_CODE'}&code=otp{{1}}`;
  return [
    {
      type: 'BODY',
      text: `*{{1}}* is your verification code.${advice}`,
      add_security_recommendation: advice !== '',
      example: { body_text: [['123456']] },
    },
    ...(minutes === undefined
      ? []
      : [
          {
            type: 'FOOTER',
            text: `This code expires in ${minutes} minutes.`,
            code_expiration_minutes: minutes,
          },
        ]),
    {
      type: 'BUTTONS',
      buttons: [
        { type: 'URL', text: otp.text ?? 'Copy code', url, example: [url.replace('{{1}}', '123456')] },
      ],
    },
  ];
}

function bad(text: string) {
  return badTemplate(2388019, 'Invalid template', text);
}
