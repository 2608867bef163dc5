// The kinds of templates that the gateway can send: components, headers and buttons. Pure.
import type { TemplateComponent } from '../../ports/platform.ts';

const supportedComponents = new Set(['HEADER', 'BODY', 'FOOTER', 'BUTTONS']);
const supportedHeaders = new Set(['TEXT', 'IMAGE', 'VIDEO', 'DOCUMENT', 'LOCATION']);
const supportedButtons = new Set(['QUICK_REPLY', 'PHONE_NUMBER', 'URL', 'COPY_CODE', 'OTP', 'VOICE_CALL']);

export const upper = (text: unknown): string => (typeof text === 'string' ? text.toUpperCase() : '');

/** Finds the component of a type. */
export const findComponent = (
  components: readonly TemplateComponent[],
  type: string,
): TemplateComponent | undefined => components.find((component) => upper(component.type) === type);

/** The format of a header, in upper case; a header without one has text. */
export const headerFormat = (header: TemplateComponent | undefined): string =>
  upper(header?.format) || 'TEXT';

/** Why the gateway cannot send a template with these components; null if it can. */
export function unsupportedReason(components: readonly TemplateComponent[]): string | null {
  const part = components.find((component) => !supportedComponents.has(upper(component.type)));
  if (part) return `it has a ${part.type.toLowerCase()} component`;
  const format = headerFormat(findComponent(components, 'HEADER'));
  if (!supportedHeaders.has(format)) return `its header is of the kind ${format}`;
  const buttons = components.flatMap((component) => component.buttons ?? []);
  const button = buttons.find(({ type }) => !supportedButtons.has(upper(type)));
  return button ? `it has a button of the kind ${button.type}` : null;
}
