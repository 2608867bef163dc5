// Checks of a template's buttons at creation (pure).
import { tooLong } from './check-text.ts';
import { badButton } from './errors.ts';
import type { Button } from './model.ts';
import { parseText } from './template-parameters.ts';

const mostOf: Record<string, number> = { QUICK_REPLY: 10, URL: 2, PHONE_NUMBER: 1, COPY_CODE: 1, OTP: 1 };
/** Kinds that the sandbox accepts without checks; each at most once. */
const otherKinds = new Set(['MPM', 'SPM', 'CATALOG', 'FLOW', 'VOICE_CALL', 'APP', 'REQUEST_CONTACT_INFO']);

/** Throws the platform's rejection for the first problem of a template's buttons; `category` in capitals. */
export function checkButtons(buttons: Button[], category: string, codeMaxLength: number): void {
  if (buttons.length === 0 || buttons.length > 10) throw badButton('There can be 1 to 10 buttons.');
  const types = buttons.map((button) => String(button.type).toUpperCase());
  for (const type of types) {
    if (!(type in mostOf) && !otherKinds.has(type)) throw badButton(`${type} is not a button type.`);
    if (type === 'OTP' && category !== 'AUTHENTICATION')
      throw badButton('OTP buttons are for authentication templates only.');
    if (types.filter((t) => t === type).length > (mostOf[type] ?? 1))
      throw badButton(`Too many buttons of type ${type}.`);
  }
  const replies = types.map((type, i) => (type === 'QUICK_REPLY' ? i : -1)).filter((i) => i >= 0);
  const [firstReply, lastReply] = [replies[0] ?? 0, replies.at(-1) ?? -1];
  if (replies.length > 0 && lastReply - firstReply + 1 !== replies.length)
    throw badButton('Quick replies must be next to each other.');
  const labels = buttons.flatMap(({ text }) => (text ? [text] : []));
  if (new Set(labels).size < labels.length)
    throw badButton("You can't enter the same text for multiple buttons");
  for (const button of buttons) checkButton(button, codeMaxLength);
}

function checkButton(button: Button, codeMaxLength: number): void {
  const type = String(button.type).toUpperCase();
  if (type !== 'COPY_CODE') checkLabel(button.text);
  if (type === 'URL') checkUrl(button);
  if (type === 'PHONE_NUMBER') {
    const phone = button.phone_number ?? '';
    if (phone.length > 20) throw tooLong('phone number', 20);
    if (!/^\+?\d{5,20}$/.test(phone)) throw badButton('The button phone number is not valid.');
  }
  if (
    type === 'FLOW' &&
    ![button.flow_id, button.flow_name, button.flow_json].some((one) => one !== undefined)
  )
    throw badButton('A flow button needs a flow_id, flow_name or flow_json.');
  if (type === 'COPY_CODE') {
    const [code] = Array.isArray(button.example) ? button.example : [button.example];
    if (typeof code !== 'string' || code === '') throw badButton('A copy code button needs an example.');
    if (code.length > codeMaxLength) throw tooLong('coupon code', codeMaxLength);
  }
}

/** Checks the text of a button. */
export function checkLabel(text: string | undefined): void {
  if (!text) throw badButton('A button needs a text.');
  if ([...text].length > 25) throw tooLong('button text', 25);
  if (text.includes('{{')) throw badButton('Variables are not supported in the button text.');
  if (/[\n\r\t]/.test(text)) throw badButton('Paragraphs are not supported in the button text.');
}

function checkUrl(button: Button): void {
  const url = button.url ?? '';
  if (url.length > 2000) throw tooLong('button URL', 2000);
  const { uses } = parseText(url);
  if (uses.length > 1 || (uses.length === 1 && !url.endsWith('}}')))
    throw badButton('A button URL can have one variable, at its end.');
  const fixed = url.replace(/\{\{[^{}]*\}\}$/, '');
  const parsed = /^https?:\/\//i.test(url) && URL.canParse(fixed) ? new URL(fixed) : undefined;
  if (!parsed) throw badButton('The button URL is not valid.');
  if (/(^|\.)(wa\.me|whatsapp\.com)\.?$/i.test(parsed.hostname))
    throw badButton("Buttons can't have a direct link to WhatsApp.");
  const [example] = Array.isArray(button.example) ? button.example : [button.example];
  if (uses.length === 1 && (typeof example !== 'string' || example === ''))
    throw badButton('A button URL with a variable needs an example.');
}
