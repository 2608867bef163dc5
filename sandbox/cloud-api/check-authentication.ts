// Checks of an authentication template at creation, and the texts that the platform writes into it (pure).
import { checkLabel } from './check-buttons.ts';
import { badFormat } from './check-text.ts';
import { badButton, badParam } from './errors.ts';
import type { Button, Component } from './model.ts';

interface SupportedApp {
  package_name?: unknown;
  signature_hash?: unknown;
}

const otpTypes = ['COPY_CODE', 'ONE_TAP', 'ZERO_TAP'];
const supportedAppsMax = 5;

/** Checks the components and returns them with the platform's own texts; the OTP button becomes a URL button. */
export function authenticationParts(given: Component[]): Component[] {
  const part = (type: string) => given.find((c) => String(c.type).toUpperCase() === type);
  if (part('HEADER')) throw badFormat('header', 'Authentication templates have no header.');
  if (part('BODY')?.text !== undefined)
    throw badFormat('body', 'The text of an authentication template is fixed; leave out text.');
  const buttons = part('BUTTONS')?.buttons ?? [];
  const [otp] = buttons;
  if (String(otp?.type).toUpperCase() !== 'OTP' || !otp || buttons.length !== 1)
    throw badButton('An authentication template needs one OTP button.');
  checkOtp(otp);
  const advice = part('BODY')?.add_security_recommendation
    ? ' For your security, do not share this code.'
    : '';
  const minutes = part('FOOTER')?.code_expiration_minutes;
  if (minutes !== undefined && !(Number.isInteger(minutes) && minutes >= 1 && minutes <= 90))
    throw badParam('Param code_expiration_minutes must be an integer from 1 to 90.');
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

function checkOtp(otp: Button): void {
  const type = String(otp.otp_type).toUpperCase();
  if (!otpTypes.includes(type)) throw badParam(`Param otp_type must be one of {${otpTypes.join(', ')}}`);
  if (otp.text !== undefined) checkLabel(otp.text);
  if (type === 'COPY_CODE') return;
  const { package_name, signature_hash } = otp as SupportedApp;
  const apps = otp.supported_apps ?? (package_name === undefined ? [] : [{ package_name, signature_hash }]);
  if (!Array.isArray(apps) || apps.length === 0 || apps.length > supportedAppsMax)
    throw badParam(
      `The parameter supported_apps is required for ${type}, with 1 to ${supportedAppsMax} apps.`,
    );
  for (const app of apps as SupportedApp[]) checkApp(app ?? {});
  if (new Set(apps.map((app) => JSON.stringify(app))).size < apps.length)
    throw badParam('Param supported_apps has the same app twice.');
  if (type === 'ZERO_TAP' && otp.zero_tap_terms_accepted !== true)
    throw badParam('The parameter zero_tap_terms_accepted must be true for ZERO_TAP.');
}

function checkApp({ package_name, signature_hash }: SupportedApp): void {
  if (typeof package_name !== 'string' || !/^[A-Za-z]\w*(\.[A-Za-z]\w*)+$/.test(package_name))
    throw badParam('Param package_name is not a valid Android application ID.');
  if (typeof signature_hash !== 'string' || !/^[A-Za-z0-9/+=]{11}$/.test(signature_hash))
    throw badParam('Param signature_hash must be 11 characters long.');
}
