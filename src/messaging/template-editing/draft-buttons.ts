// WhatsApp's rules for a template's buttons, checked before its review. Pure.
import type { TemplateButton } from '../../ports/platform.ts';
import { codeMaxLength } from '../template-content/fill-lengths.ts';
import { upper } from '../template-content/kinds.ts';
import { tokensOf } from '../template-content/placeholders.ts';
import { type Add, checkLength } from './draft-texts.ts';

/** WhatsApp's limits (Cloud API, "Template components"), in characters. */
const maxLength = { label: 25, url: 2000, phone: 20 };
const buttonsMax = 10;
const mostButtons: Record<string, number> = {
  ...{ URL: 2, PHONE_NUMBER: 1, COPY_CODE: 1, OTP: 1 },
  ...{ CATALOG: 1, MPM: 1, SPM: 1, FLOW: 1, VOICE_CALL: 1, REQUEST_CONTACT_INFO: 1 },
};
/** How many apps a one-tap or zero-tap button may name. */
const appsMax = 5;
const otpTypes = ['COPY_CODE', 'ONE_TAP', 'ZERO_TAP'];
/** WhatsApp's own domains: a template may not link to a conversation. */
const platformHost = /(^|\.)(wa\.me|whatsapp\.com)\.?$/i;

/** Problems of the buttons of a template, maybe one with a limited-time offer; paths begin with `.buttons`. */
export function checkButtons(
  buttons: TemplateButton[],
  { isAuthentication, hasOffer }: { isAuthentication: boolean; hasOffer: boolean },
  add: Add,
): void {
  const types = buttons.map((button) => upper(button.type));
  if (isAuthentication && (types.length !== 1 || types[0] !== 'OTP'))
    add('.buttons', 'must have exactly one button, of the type OTP, in an authentication template');
  if (!isAuthentication && types.includes('OTP'))
    add('.buttons', 'must not have OTP buttons: they are for templates of the category AUTHENTICATION');
  if (buttons.length === 0 || buttons.length > buttonsMax)
    add('.buttons', `must have 1 to ${buttonsMax} buttons, but has ${buttons.length}`);
  for (const [type, limit] of Object.entries(mostButtons))
    if (types.filter((one) => one === type).length > limit)
      add('.buttons', `must have at most ${limit} of the type ${type}`);
  const [first, last] = [types.indexOf('QUICK_REPLY'), types.lastIndexOf('QUICK_REPLY')];
  if (first >= 0 && types.slice(first, last).some((type) => type !== 'QUICK_REPLY'))
    add('.buttons', 'must have all quick replies next to each other');
  const labels = buttons.flatMap(({ text }) => (text ? [text] : []));
  if (new Set(labels).size < labels.length) add('.buttons', 'must not have the same text on two buttons');
  buttons.slice(0, buttonsMax).forEach((button, index) => {
    checkButton(button, hasOffer, (member, message) => add(`.buttons[${index}]${member}`, message));
  });
}

function checkButton(button: TemplateButton, hasOffer: boolean, add: Add): void {
  const type = upper(button.type);
  checkLength(button.text, maxLength.label, '.text', add);
  if (!button.text?.trim() && type !== 'COPY_CODE' && type !== 'OTP') add('.text', 'is missing');
  if (/\{\{|[\n\r\t]/.test(button.text ?? ''))
    add('.text', 'must not contain variables, line breaks or tabs');
  if (type === 'URL') checkUrl(button, add);
  if (type === 'PHONE_NUMBER') checkPhone(button.phone_number, add);
  if (type === 'COPY_CODE') checkCode(button.example, codeMaxLength(hasOffer), add);
  if (type === 'OTP') checkOtp(button, add);
  if (type === 'FLOW' && ![button.flow_id, button.flow_name, button.flow_json].some(isNamed))
    add('.flow_id', 'is missing: set flow_id, flow_name or flow_json');
}

/** Ids of flows are texts or numbers. */
const isNamed = (value: unknown) =>
  (typeof value === 'string' && value.trim() !== '') || typeof value === 'number';

function checkUrl(button: TemplateButton, add: Add): void {
  const url = button.url ?? '';
  const fixed = url.trimEnd().replace(/\{\{[^{}]*\}\}$/, '');
  if (!/^https?:\/\//i.test(url)) add('.url', 'must start with https:// or http://');
  else if (!URL.canParse(fixed)) add('.url', 'must be a URL with a host name');
  else if (platformHost.test(new URL(fixed).hostname))
    add('.url', 'must not link to WhatsApp (wa.me, whatsapp.com); use a URL of your own');
  checkLength(url, maxLength.url, '.url', add);
  const tokens = tokensOf(url);
  if (tokens.length > 1 || (tokens.length === 1 && !url.trimEnd().endsWith('}}')))
    add('.url', 'must have at most one variable, at its end');
  if (tokens.length > 0 && !firstExample(button.example))
    add('.example', 'must be the URL with a value for the variable');
}

/** The example of a button, which may be in a list. */
function firstExample(example: unknown): string | undefined {
  const first: unknown = Array.isArray(example) ? example[0] : example;
  return typeof first === 'string' && first !== '' ? first : undefined;
}

function checkPhone(phone: unknown, add: Add): void {
  if (typeof phone === 'string' && checkLength(phone, maxLength.phone, '.phone_number', add)) return;
  if (typeof phone !== 'string' || !/^\+?\d{5,20}$/.test(phone))
    add('.phone_number', `must be a string of 5 to ${maxLength.phone} digits, with the country code`);
}

function checkCode(example: unknown, max: number, add: Add): void {
  const code = firstExample(example);
  if (code === undefined) add('.example', 'is missing: set a code for the reviewers');
  else checkLength(code, max, '.example', add);
}

/** One-tap and zero-tap buttons must name the Android apps that receive the code. */
function checkOtp(button: TemplateButton, add: Add): void {
  const type = upper(button.otp_type);
  if (!otpTypes.includes(type)) add('.otp_type', `must be one of ${otpTypes.join(', ')}`);
  if (type !== 'ONE_TAP' && type !== 'ZERO_TAP') return;
  const { package_name, signature_hash } = button;
  // the platform's earlier form, which its published examples still have: one app in the button itself
  const apps =
    button.supported_apps ?? (package_name === undefined ? [] : [{ package_name, signature_hash }]);
  if (!Array.isArray(apps) || apps.length === 0 || apps.length > appsMax) {
    add('.supported_apps', `must name 1 to ${appsMax} apps by package_name and signature_hash`);
  } else {
    apps.forEach((app, index) => {
      checkApp(app, (member, message) => add(`.supported_apps[${index}]${member}`, message));
    });
  }
  if (type === 'ZERO_TAP' && button.zero_tap_terms_accepted !== true)
    add('.zero_tap_terms_accepted', "must be true: you have accepted the platform's terms for zero-tap");
}

function checkApp(app: unknown, add: Add): void {
  const { package_name, signature_hash } = (app ?? {}) as Record<string, unknown>;
  if (typeof package_name !== 'string' || !/^[A-Za-z]\w*(\.[A-Za-z]\w*)+$/.test(package_name))
    add('.package_name', 'must be an Android application id, for example com.example.app');
  if (typeof signature_hash !== 'string' || !/^[A-Za-z0-9/+=]{11}$/.test(signature_hash))
    add('.signature_hash', "must be the 11 characters of the app's signature hash");
}
