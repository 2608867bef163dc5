// Conversion of a filled template's content back to variables, so that it can be checked and filled again. Pure.
import type { FilledTemplate, FilledText } from '../../ports/platform.ts';
import type { Location } from './fill.ts';
import type { TemplatePlan } from './placeholders.ts';

/**
 * Returns the variables and location of `content`, by the qualified keys of the current template. A value without a
 * placeholder in the current template gets a key that no template has, so that filling rejects it.
 */
export function refill(
  plan: TemplatePlan,
  content: FilledTemplate,
): { variables: Record<string, string>; location?: Location } {
  const variables: Record<string, string> = {};
  const addTexts = (where: 'header' | 'body', values: FilledText[]) => {
    const own = plan.placeholders.filter((placeholder) => placeholder.where === where);
    for (const [index, { name, text }] of values.entries()) {
      const isNamed = plan.format === 'named';
      const placeholder = isNamed
        ? own.find(({ token }) => token === name)
        : own[name === undefined ? index : -1];
      variables[placeholder?.qualifiedKey ?? `${where}.(${name ?? index + 1})`] = text;
    }
  };
  const { header } = content;
  if (header?.kind === 'text') addTexts('header', header.values);
  addTexts('body', content.body);
  for (const { index, subType, value } of content.buttons) {
    const placeholder = plan.placeholders.find(
      (one) => one.where === 'button' && one.buttonIndex === index && one.subType === subType,
    );
    variables[placeholder?.qualifiedKey ?? `buttons.${index}.(${subType})`] = value;
  }
  if (header?.kind !== 'location') return { variables };
  const { latitude, longitude, name, address } = header;
  return { variables, location: { latitude, longitude, name, address } };
}
