// Helpers for tests of template drafts: stored files by id, paths of problems, and parts of drafts.
import { draftProblems } from '../../src/messaging/template-editing/draft.ts';
import type { TemplateComponent } from '../../src/ports/platform.ts';

export const files = new Map([
  ['png', { kind: 'image', mimeType: 'image/png' }],
  ['mp4', { kind: 'video', mimeType: 'video/mp4' }],
  ['3gp', { kind: 'video', mimeType: 'video/3gpp' }],
  ['pdf', { kind: 'document', mimeType: 'application/pdf' }],
  ['text', { kind: 'document', mimeType: 'text/plain' }],
]);
export const body = { type: 'BODY', text: 'Hello there.' };
export interface More {
  category?: string;
  named?: boolean;
  language?: string;
}
export const pathsOf = (components: TemplateComponent[], more: More = {}) =>
  draftProblems(
    {
      category: more.category ?? 'UTILITY',
      language: more.language ?? 'en_US',
      parameterFormat: more.named ? 'named' : 'positional',
      components,
    },
    files,
  ).map(({ path }) => path);
export const buttons = (...list: object[]): TemplateComponent[] => [
  body,
  { type: 'BUTTONS', buttons: list as { type: string }[] },
];
export const url = (text: string, more: object = {}) => ({ type: 'URL', text: 'Open', url: text, ...more });
export const reply = { type: 'QUICK_REPLY', text: 'Yes' };
export const replies = (count: number) =>
  Array.from({ length: count }, (_, no) => ({ ...reply, text: `Yes ${no}` }));
export const app = { package_name: 'com.example.app', signature_hash: 'K8a/AINcGX7' };
export const otp = (more: object): TemplateComponent => ({
  type: 'BUTTONS',
  buttons: [{ type: 'OTP', ...more }],
});
export const bodyOf = (text: string, ...example: string[]): TemplateComponent => ({
  ...{ type: 'BODY', text },
  ...(example.length > 0 && { example: { body_text: [example] } }),
});
