// Templates of every kind for the sandbox's tests, and the components that fill them.
import type { cloudApiControl } from '../../sandbox/control.ts';
import { plain, text, wabaId } from './platform.ts';

/** Adds templates with text, media, location and button variables, and one for each status that cannot be sent. */
export async function addFillableTemplates(control: ReturnType<typeof cloudApiControl>) {
  await control.addTemplate(plain);
  const three = 'Hi {{1}}, order {{2}} comes {{3}}.';
  await control.addTemplate({ wabaId, name: 'three', components: [{ type: 'BODY', text: three }] });
  await control.addTemplate({
    wabaId,
    name: 'named',
    parameterFormat: 'NAMED',
    components: [{ type: 'BODY', text: 'Hi {{first_name}}, it is {{day}}.' }],
  });
  await control.addTemplate({
    wabaId,
    name: 'header_text',
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'Order {{1}}' },
      { type: 'BODY', text: 'It is here.' },
    ],
  });
  for (const format of ['IMAGE', 'DOCUMENT', 'LOCATION'])
    await control.addTemplate({
      wabaId,
      name: format.toLowerCase(),
      components: [
        { type: 'HEADER', format },
        { type: 'BODY', text: 'See above.' },
      ],
    });
  await control.addTemplate({
    wabaId,
    name: 'buttons',
    components: [
      { type: 'BODY', text: 'Choose.' },
      {
        type: 'BUTTONS',
        buttons: [
          { type: 'URL', text: 'Track', url: 'https://example.com/{{1}}' },
          { type: 'QUICK_REPLY', text: 'Stop' },
          { type: 'COPY_CODE', example: 'SAVE10' },
        ],
      },
    ],
  });
  for (const status of ['PENDING', 'PAUSED', 'DISABLED', 'REJECTED'])
    await control.addTemplate({ ...plain, name: status.toLowerCase(), status });
}

export function template(name: string) {
  return { template: { name } };
}

export function body(...values: string[]) {
  return [{ type: 'body', parameters: text(...values) }];
}

export function namedText(values: Record<string, string>) {
  return Object.entries(values).map(([name, value]) => ({ type: 'text', parameter_name: name, text: value }));
}

export function location(latitude: string, longitude: string) {
  return { type: 'location', location: { latitude, longitude, name: 'Office', address: 'Road 1' } };
}

export function button(subType: string, index: string | number, parameters: unknown[]) {
  return { type: 'button', sub_type: subType, index, parameters };
}
