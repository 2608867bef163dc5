// The history of a template on the wire.
import { Type } from 'typebox';
import { cursorProperties, Id, instant, nullable } from './envelope.ts';

const facts = {
  status: Type.String({ description: '`approved`, `submitted` or `draft`.' }),
  providerStatus: nullable(Type.String({ description: "The platform's own word." })),
  category: Type.String({ description: 'The category.' }),
  qualityScore: nullable(Type.String({ description: "The platform's quality score." })),
};

export const TemplateHistoryQuery = Type.Object(cursorProperties, { additionalProperties: false });

export const TemplateChangeItem = Type.Object(
  {
    _id: Type.String({ ...Id, description: 'Id of the change.' }),
    at: instant('When the gateway learned of it.'),
    ...facts,
    previous: Type.Object(facts, { title: 'TemplateBefore', description: 'The same before the change.' }),
    reason: nullable(Type.String({ description: "The platform's reason; null if it gave none." })),
  },
  {
    title: 'TemplateHistoryItem',
    description: 'A change of the status, category or quality of a template by the platform.',
    examples: [
      {
        _id: '019a0b5e-7c00-7000-8000-000000000050',
        at: '2026-03-10T14:00:00.000Z',
        ...{ status: 'approved', providerStatus: 'APPROVED', category: 'UTILITY', qualityScore: null },
        previous: { status: 'submitted', providerStatus: 'PENDING', category: 'UTILITY', qualityScore: null },
        reason: null,
      },
    ],
  },
);
