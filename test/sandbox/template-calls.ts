// Helpers of the template management tests: creating a template, and waiting for its callback.
import { type startPlatform, wabaId } from './platform.ts';

export const edge = `${wabaId}/message_templates`;

export function body(text: string, ...example: string[]) {
  return { type: 'BODY', text, ...(example.length > 0 && { example: { body_text: [example] } }) };
}

export function templateCalls(platform: Awaited<ReturnType<typeof startPlatform>>) {
  return {
    /** POSTs a template; by default a plain utility template in English. */
    create: (template: object) =>
      platform.call('POST', edge, {
        language: 'en_US',
        category: 'UTILITY',
        components: [body('Hello.')],
        ...template,
      }),
    /** Waits for a callback of that field about the template with that name, and returns the newest. */
    updateOf: async (name: string, field = 'message_template_status_update') => {
      const mine = () =>
        platform.callbackServer.callbacks.findLast(
          (c) => c.field === field && c.value.message_template_name === name,
        );
      await platform.callbackServer.until(() => mine() !== undefined);
      return mine();
    },
  };
}
