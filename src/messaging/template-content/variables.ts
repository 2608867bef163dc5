// The variables of a template by component, and the examples with which it was approved. Pure.
import {
  type HeaderMedia,
  type ParameterFormat,
  type PartsPlan,
  type Placeholder,
  shortKey,
  type TemplatePlan,
} from './placeholders.ts';

export interface TemplateVariables {
  format: ParameterFormat;
  header: string[];
  body: string[];
  buttons: { index: number; subType: string; variables: string[] }[];
  headerMedia: HeaderMedia | null;
  examples: Record<string, string>;
}

/** The variables of a template by component, and the examples with which it was approved. */
export function variablesOf(plan: TemplatePlan): TemplateVariables {
  const of = (where: Placeholder['where']) =>
    plan.placeholders.filter((placeholder) => placeholder.where === where);
  return {
    format: plan.format,
    header: of('header').map(({ token }) => token),
    body: of('body').map(({ token }) => token),
    buttons: of('button').map(({ buttonIndex, subType, token }) => ({
      index: buttonIndex,
      subType: subType === 'copy_code' ? 'copy_code' : 'url',
      variables: [token],
    })),
    headerMedia: plan.headerMedia,
    examples: examplesOf(plan),
  };
}

function examplesOf(plan: TemplatePlan): Record<string, string> {
  const examples: Record<string, string> = {};
  for (const placeholder of plan.placeholders) {
    const example = inputExampleOf(plan, placeholder);
    if (example !== undefined) examples[shortKey(plan, placeholder)] = example;
  }
  return examples;
}

/** The example of a placeholder as a value for it. The button of a one-time code has a whole address, which is no code. */
export const inputExampleOf = (plan: TemplatePlan, placeholder: Placeholder): string | undefined =>
  plan.category === 'AUTHENTICATION' && placeholder.where === 'button'
    ? undefined
    : exampleOf(plan, placeholder);

type Example = Record<string, unknown> | undefined;

/** The value of the variable in an example that is the whole address, as the platform wants it; else the example. */
function withoutAddress(example: string, url = ''): string | undefined {
  const [before = '', after] = url.split(/\{\{[^{}]*\}\}/);
  const isWhole = after !== undefined && example.startsWith(before) && example.endsWith(after);
  if (before === '' || !isWhole) return example;
  return example.slice(before.length, example.length - after.length) || undefined;
}

/** The example of the submission (`example.body_text`, `header_text`, named forms, or a button's own). */
export function exampleOf(parts: PartsPlan, { where, token, buttonIndex }: Placeholder): string | undefined {
  if (where === 'button') {
    const { url, example } = parts.buttons[buttonIndex] ?? {};
    const value = Array.isArray(example) ? example[0] : example;
    return typeof value === 'string' ? withoutAddress(value, url) : undefined;
  }
  const example = (where === 'header' ? parts.header?.example : parts.body?.example) as Example;
  const named = example?.[`${where}_text_named_params`];
  if (Array.isArray(named)) {
    const match = (named as ({ param_name?: unknown; example?: unknown } | null)[]).find(
      (one) => one?.param_name === token,
    );
    return typeof match?.example === 'string' ? match.example : undefined;
  }
  const given = example?.[`${where}_text`];
  const samples = typeof given === 'string' ? [given] : given;
  const row = Array.isArray(samples) ? (Array.isArray(samples[0]) ? samples[0] : samples) : undefined;
  const position = parts.placeholders
    .filter((one) => one.where === where)
    .findIndex((one) => one.token === token);
  const value: unknown = row?.[position];
  return typeof value === 'string' ? value : undefined;
}
