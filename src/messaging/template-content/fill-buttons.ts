// The buttons of a filled template or card: values of variables, payloads, flows, catalogs and product lists. Pure.
import type { Problem } from '../../base/errors.ts';
import type { FilledButton } from '../../ports/platform.ts';
import type { ExtraFilling } from './fill-extras.ts';
import { upper } from './kinds.ts';
import type { PartsPlan, Placeholder, TemplatePlan } from './placeholders.ts';

/** What one button may be given besides variables. */
export interface ButtonInput {
  index: number;
  payload?: string | undefined;
  flow?: { token?: string | undefined; data?: object | undefined } | undefined;
}

export interface ButtonFilling {
  buttons?: ButtonInput[];
}

/** The longest data of a flow, in bytes of JSON. */
export const flowDataMaxBytes = 8192;

/** Adds the problems of payloads and flows: each must be for a button of its kind, given once. */
export function buttonProblems(
  plan: Pick<PartsPlan, 'buttons'>,
  { buttons = [] }: ButtonFilling,
  at: (member: string) => string,
  problems: Problem[],
): void {
  const given = new Set<number>();
  buttons.forEach(({ index, payload, flow }, position) => {
    const add = (member: string, message: string) =>
      problems.push({ path: at(`buttons[${position}].${member}`), message });
    const type = upper(plan.buttons[index]?.type);
    if (type === '') {
      const last = plan.buttons.length - 1;
      add(
        'index',
        last < 0 ? 'is not allowed: there are no buttons' : `is ${index}, but the last button is ${last}`,
      );
      return;
    }
    if (given.has(index)) add('index', `is ${index}, which another entry also has`);
    given.add(index);
    if (payload !== undefined && type !== 'QUICK_REPLY')
      add('payload', `is not allowed: button ${index} is of the kind ${type}, not QUICK_REPLY`);
    if (flow !== undefined && type !== 'FLOW')
      add('flow', `is not allowed: button ${index} is of the kind ${type}, not FLOW`);
    if (Buffer.byteLength(JSON.stringify(flow?.data ?? {})) > flowDataMaxBytes)
      add('flow.data', `must have at most ${flowDataMaxBytes} bytes as JSON`);
  });
}

/** The buttons that need something, in the order of their indexes. */
export function filledButtons(
  plan: PartsPlan,
  of: {
    format: TemplatePlan['format'];
    textOf: (placeholder: Placeholder) => string;
    given: ButtonFilling;
    extras: ExtraFilling;
  },
): FilledButton[] {
  return plan.buttons.flatMap((button, index): FilledButton[] => {
    const placeholder = plan.placeholders.find((one) => one.where === 'button' && one.buttonIndex === index);
    if (placeholder) {
      const subType = placeholder.subType ?? 'url';
      const isNamed = of.format === 'named' && subType === 'url';
      const name = isNamed ? { name: placeholder.token } : {};
      return [{ index, subType, value: of.textOf(placeholder), ...name }];
    }
    const own = of.given.buttons?.find((one) => one.index === index);
    const { catalog, products } = of.extras;
    switch (upper(button.type)) {
      case 'QUICK_REPLY':
        return own?.payload === undefined ? [] : [{ index, subType: 'quick_reply', payload: own.payload }];
      case 'FLOW': {
        const { token, data } = own?.flow ?? {};
        return [
          {
            ...{ index, subType: 'flow' },
            ...(token === undefined ? {} : { token }),
            ...(data === undefined ? {} : { data }),
          } as FilledButton,
        ];
      }
      case 'CATALOG': {
        const thumbnailProductId = catalog?.thumbnailProductId;
        return thumbnailProductId === undefined ? [] : [{ index, subType: 'catalog', thumbnailProductId }];
      }
      case 'MPM': {
        const thumbnail = products?.thumbnailProductId ?? products?.sections[0]?.productIds[0];
        if (!products || thumbnail === undefined) return [];
        const { sections } = products;
        return [{ index, subType: 'products', thumbnailProductId: thumbnail, sections }];
      }
      default:
        return [];
    }
  });
}
