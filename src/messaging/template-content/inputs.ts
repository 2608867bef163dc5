// What a recipient can fill in a template, as a list from which a page can draw a form. Pure.

import { flowDataMaxBytes } from './fill-buttons.ts';
import { codeMaxLength } from './fill-lengths.ts';
import { upper } from './kinds.ts';
import type { PartsPlan, Placeholder, TemplatePlan } from './placeholders.ts';
import { exampleOf, inputExampleOf } from './variables.ts';

export type InputKind = 'text' | 'media' | 'location' | 'code' | 'payload' | 'instant' | 'product' | 'flow';

export interface TemplateInput {
  /** A key of `variables` (`text`, `code`), else the member's path in a recipient. */
  key: string;
  /** `header`, `body`, `buttons.0`, `offer`, `cards.1.header` */
  part: string;
  kind: InputKind;
  required: boolean;
  example: string | null;
  /** In characters; the whole component may limit it further. */
  maxLength: number | null;
  /** The kind of file that a header needs. */
  media: 'image' | 'video' | 'document' | null;
}

/** The longest value of a text: the component's limit (Cloud API, "Template components"). */
const maxLengths = {
  header: 60,
  body: 1024,
  cardBody: 160,
  offerBody: 600,
  url: 2000,
  payload: 128,
};

/** The longest id of a product that is accepted. */
const productIdMaxLength = 256;

/** Everything that a recipient can fill, in the order of the message. */
export function inputsOf(plan: TemplatePlan): TemplateInput[] {
  if (plan.category === 'AUTHENTICATION') return codeInput(plan);
  return [
    ...partInputs(
      plan,
      '',
      plan.offer ? maxLengths.offerBody : maxLengths.body,
      codeMaxLength(plan.offer !== null),
    ),
    ...(plan.offer?.hasExpiration ? [input('offerExpiresAt', 'offer', 'instant', { required: true })] : []),
    ...plan.cards.flatMap((card, index) => partInputs(card, `cards.${index}.`, maxLengths.cardBody)),
  ];
}

const input = (
  key: string,
  part: string,
  kind: InputKind,
  more: Partial<TemplateInput> = {},
): TemplateInput => ({
  key,
  part,
  kind,
  required: false,
  example: null,
  maxLength: null,
  media: null,
  ...more,
});

/** One code fills every part of an authentication template. */
function codeInput(plan: TemplatePlan): TemplateInput[] {
  const [first] = plan.placeholders;
  if (!first) return [];
  const example = plan.placeholders.map((one) => inputExampleOf(plan, one)).find((one) => one !== undefined);
  const maxLength = codeMaxLength(true);
  return [input(first.token, 'body', 'code', { required: true, example: example ?? null, maxLength })];
}

function partInputs(
  parts: PartsPlan,
  prefix: string,
  bodyMaxLength: number,
  codeMax = codeMaxLength(false),
): TemplateInput[] {
  const texts = (where: 'header' | 'body') =>
    parts.placeholders
      .filter((placeholder) => placeholder.where === where)
      .map((placeholder) =>
        textInput(
          parts,
          placeholder,
          `${prefix}${where}`,
          where === 'body' ? bodyMaxLength : maxLengths.header,
        ),
      );
  return [
    ...headerInputs(parts, prefix),
    ...texts('header'),
    ...texts('body'),
    ...parts.buttons.flatMap((_button, index) => buttonInputs(parts, index, { prefix, codeMax })),
  ];
}

const textInput = (parts: PartsPlan, placeholder: Placeholder, part: string, maxLength: number) =>
  input(placeholder.qualifiedKey, part, placeholder.subType === 'copy_code' ? 'code' : 'text', {
    required: true,
    example: exampleOf(parts, placeholder) ?? null,
    maxLength,
  });

function headerInputs({ headerMedia, hasProduct }: PartsPlan, prefix: string): TemplateInput[] {
  const part = `${prefix}header`;
  if (hasProduct) return [input(`${prefix}product`, part, 'product', { required: true })];
  if (headerMedia === null) return [];
  if (headerMedia === 'location') return [input(`${prefix}location`, part, 'location', { required: true })];
  return [input(`${prefix}mediaId`, part, 'media', { required: true, media: headerMedia })];
}

function buttonInputs(
  parts: PartsPlan,
  index: number,
  { prefix, codeMax }: { prefix: string; codeMax: number },
): TemplateInput[] {
  const button = parts.buttons[index];
  const part = `${prefix}buttons.${index}`;
  const placeholder = parts.placeholders.find((one) => one.where === 'button' && one.buttonIndex === index);
  if (placeholder) {
    const isUrl = placeholder.subType === 'url';
    return [textInput(parts, placeholder, part, isUrl ? maxLengths.url : codeMax)];
  }
  const maxLength = productIdMaxLength;
  switch (upper(button?.type)) {
    case 'QUICK_REPLY':
      return [
        input(`${part}.payload`, part, 'payload', {
          example: button?.text ?? null,
          maxLength: maxLengths.payload,
        }),
      ];
    case 'FLOW':
      return [input(`${part}.flow`, part, 'flow', { maxLength: flowDataMaxBytes })];
    case 'CATALOG':
      return [input('catalog.thumbnailProductId', part, 'product', { maxLength })];
    case 'MPM':
      return [
        input('products.thumbnailProductId', part, 'product', { maxLength }),
        input('products.sections', part, 'product', { required: true }),
      ];
    default:
      return [];
  }
}
