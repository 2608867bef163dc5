// Questions of booking forms on the wire.
import { type Static, Type } from 'typebox';
import { StaffId } from './appointments.ts';
import { filled, Id, notBlank, nullable, pageProperties } from './envelope.ts';

const closed = { additionalProperties: false } as const;

const questionTypes = [
  'phone',
  'email',
  'text',
  'textarea',
  'number',
  'date',
  'select',
  'multiselect',
  'checkbox',
  'url',
] as const;
export type QuestionType = (typeof questionTypes)[number];
/** Options of one question. */
export const optionsMax = 200;
const questionFields = {
  question: filled(500, 'Text of the question.'),
  questionType: Type.Enum([...questionTypes], { description: 'Kind of answer.' }),
  isRequired: Type.Boolean({ description: 'Whether a booking must answer the question.' }),
  options: Type.Array(Type.String({ minLength: 1, maxLength: 200, ...notBlank }), {
    maxItems: optionsMax,
    description: 'The choices of `select` and `multiselect`.',
  }),
  placeholder: nullable(Type.String({ maxLength: 200, description: 'Hint for an empty input field.' })),
};
export const QuestionItem = Type.Object(
  { _id: Id, ...questionFields },
  {
    title: 'FormQuestion',
    description: 'A question of the booking form.',
    examples: [
      {
        _id: '019a0b5e-7c00-7000-8000-000000000002',
        question: 'What is it about?',
        questionType: 'text',
        isRequired: true,
        options: [],
        placeholder: null,
      },
    ],
  },
);
export type QuestionItem = Static<typeof QuestionItem>;
export const QuestionList = Type.Object(
  { items: Type.Array(QuestionItem, { description: 'The questions, in order.' }) },
  { title: 'FormQuestions', description: 'The form questions of a staff member.' },
);
export const ListQuestionsQuery = Type.Object({ appointmentUserId: StaffId, ...pageProperties }, closed);
export const PutQuestionsBody = Type.Array(
  Type.Object(
    {
      question: questionFields.question,
      questionType: questionFields.questionType,
      isRequired: questionFields.isRequired,
      options: Type.Optional(questionFields.options),
      placeholder: Type.Optional(questionFields.placeholder),
    },
    { ...closed, title: 'SetFormQuestion', description: 'A question of the booking form.' },
  ),
  {
    maxItems: 100,
    description: 'The whole new list, in order.',
    examples: [[{ question: 'What is it about?', questionType: 'text', isRequired: true }]],
  },
);
export type PutQuestionsBody = Static<typeof PutQuestionsBody>;
