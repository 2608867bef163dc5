// Checks of the buttons of a template message or of one of its cards (pure).
import { checkText, type Parameter, textOf } from './check-parts.ts';
import { rejection, wrongNumber } from './errors.ts';
import type { ButtonParameters } from './template-parameters.ts';

export interface SentButton {
  sub_type?: string;
  index?: string | number;
  parameters?: Parameter[];
}

/** Kinds that take no parameters. */
const withoutParameters = new Set(['PHONE_NUMBER', 'SPM', 'VOICE_CALL', 'REQUEST_CONTACT_INFO']);
/** What an address cannot contain unless it is percent-encoded; the platform names space, `:`, `|` and non-ASCII. */
const unencoded = /[\s:|]|[^\x21-\x7e]/;
const maxLength = { url: 2000, payload: 128 };
const mostProducts = { sections: 10, products: 30 };

/** Rejects buttons that do not fit the template's, with the platform's code and wording. */
export function checkSentButtons(
  expected: ButtonParameters[],
  given: Map<number, SentButton>,
  named: boolean,
): void {
  for (const [index, part] of given) {
    const button = expected[index];
    const subType = String(part.sub_type ?? '').toUpperCase();
    if (!button) throw rejection(131009, `buttons: the template has no button at index ${part.index}`);
    if (subType !== button.type && !(button.type === 'OTP' && subType === 'URL'))
      throw rejection(
        132012,
        `buttons: Button at index ${index} is of type ${button.type}, received ${subType || 'UNKNOWN'}`,
      );
  }
  expected.forEach((button, index) => {
    checkButton({ button, index, given: given.get(index)?.parameters ?? [], named });
  });
}

interface Checked {
  button: ButtonParameters;
  index: number;
  given: Parameter[];
  named: boolean;
}

function checkButton(checked: Checked): void {
  const { button, index, given } = checked;
  const [parameter] = given;
  if (button.type === 'URL' || button.type === 'OTP') {
    checkUrl(checked);
    return;
  }
  if (withoutParameters.has(button.type) && given.length > 0)
    throw rejection(132018, `buttons: Button at index ${index} of type ${button.type} takes no parameters`);
  if (given.length > 1) throw wrongNumber('buttons', 'params', { given: given.length, expected: 1 });
  switch (button.type) {
    case 'COPY_CODE':
      if (parameter?.coupon_code === undefined || parameter.coupon_code === '') throw missing(checked);
      if ([...String(parameter.coupon_code)].length > button.codeMaxLength)
        throw rejection(
          132005,
          `buttons: coupon code of the button at index ${index} is longer than ${button.codeMaxLength} characters`,
        );
      return;
    case 'QUICK_REPLY':
      if (parameter) checkPayload(parameter, index);
      return;
    case 'FLOW':
      checkFlow(actionOf(checked) ?? {}, index);
      return;
    case 'CATALOG':
      if (parameter) checkThumbnail(actionOf(checked) ?? {}, index);
      return;
    case 'MPM':
      checkProducts(actionOf(checked) ?? {}, index);
  }
}

const missing = ({ button, index }: Checked) =>
  rejection(
    131008,
    `buttons: Button at index ${index} of type ${titleCase(button.type)} requires a parameter`,
  );

function checkUrl(checked: Checked): void {
  const { button, index, given, named } = checked;
  const [parameter] = given;
  const wants = button.type === 'OTP' ? 1 : button.names.length;
  if (wants === 1 && given.length === 0) throw missing(checked);
  if (given.length !== wants)
    throw wrongNumber('buttons', 'localizable_params', { given: given.length, expected: wants });
  if (wants !== 1 || !parameter) return;
  if (button.type === 'URL' && named) checkText('buttons', button, given, true, maxLength.url);
  const text = textOf('buttons', parameter);
  if (button.type === 'URL' && unencoded.test(text))
    throw rejection(131009, `buttons: URL parameter of the button at index ${index} must be percent-encoded`);
  if (button.fixedChars + text.length > maxLength.url)
    throw rejection(132005, `buttons: URL of the button at index ${index} is too long`);
}

function checkPayload({ type, payload, text }: Parameter, index: number): void {
  if (type !== 'payload' && type !== 'text')
    throw rejection(132012, `buttons: Button at index ${index} takes a parameter of type payload`);
  const value = type === 'payload' ? payload : text;
  if (typeof value !== 'string' || value === '')
    throw rejection(131008, `buttons: payload of the button at index ${index} is required`);
  if ([...value].length > maxLength.payload)
    throw rejection(
      131009,
      `buttons: payload of the button at index ${index} is longer than ${maxLength.payload} characters`,
    );
}

type Action = Record<string, unknown>;

function actionOf(checked: Checked): Action | undefined {
  const [parameter] = checked.given;
  if (!parameter) throw missing(checked);
  if (parameter.type !== 'action')
    throw rejection(132012, `buttons: Button at index ${checked.index} takes a parameter of type action`);
  if (typeof parameter.action !== 'object' || parameter.action === null)
    throw rejection(131008, `buttons: action of the button at index ${checked.index} is required`);
  return parameter.action as Action;
}

function checkFlow({ flow_token: token, flow_action_data: data }: Action, index: number): void {
  if (token !== undefined && typeof token !== 'string')
    throw rejection(131009, `buttons: flow_token of the button at index ${index} must be a string`);
  if (data !== undefined && (typeof data !== 'object' || data === null || Array.isArray(data)))
    throw rejection(131009, `buttons: flow_action_data of the button at index ${index} must be an object`);
}

function checkThumbnail({ thumbnail_product_retailer_id: id }: Action, index: number): void {
  if (typeof id !== 'string' || id === '')
    throw rejection(
      131008,
      `buttons: thumbnail_product_retailer_id of the button at index ${index} is required`,
    );
}

function checkProducts(action: Action, index: number): void {
  checkThumbnail(action, index);
  const sections = (Array.isArray(action.sections) ? action.sections : []) as Action[];
  if (sections.length === 0)
    throw rejection(131008, `buttons: sections of the button at index ${index} are required`);
  if (sections.length > mostProducts.sections)
    throw rejection(131009, `buttons: at most ${mostProducts.sections} sections are allowed`);
  let products = 0;
  for (const section of sections) {
    if (typeof section?.title !== 'string' || section.title === '')
      throw rejection(131008, 'buttons: title of a section is required');
    const items = (Array.isArray(section.product_items) ? section.product_items : []) as Action[];
    if (items.length === 0 || items.some((item) => typeof item?.product_retailer_id !== 'string'))
      throw rejection(131008, 'buttons: product_items of a section are required');
    products += items.length;
  }
  if (products > mostProducts.products)
    throw rejection(131009, `buttons: at most ${mostProducts.products} products are allowed`);
}

function titleCase(type: string): string {
  return type
    .split('_')
    .map((word) => word.charAt(0) + word.slice(1).toLowerCase())
    .join('');
}
