// Form answers: matched to the staff member's questions, checked, and prepared for storage. Pure.
import { emailProblem } from '../../base/email.ts';
import type { Problem } from '../../base/errors.ts';
import { phoneDigits, phoneProblem } from '../../base/phone.ts';
import { isBlank } from '../../base/visible.ts';
import type { BookBody } from '../../contract/bookings.ts';
import type { QuestionFields } from '../directory/staff.ts';
import { dayOfDate } from '../slots/wall-time.ts';

type Given = NonNullable<BookBody['staticQuestionAnswers']>[number];

/** A form answer as stored in the booking. */
export interface StoredAnswer {
  _id: string;
  question: string;
  questionType: string;
  isRequired: boolean;
  answer: string;
}

const list = 'staticQuestionAnswers';

/**
 * Matches answers to questions by `_id`, or else by the trimmed text, and checks each against its question type. Every
 * required question needs a non-blank answer. Blank optional answers are dropped.
 */
export function checkAnswers(
  questions: readonly QuestionFields[],
  given: readonly Given[],
): { answers: StoredAnswer[]; problems: Problem[] } {
  const problems: Problem[] = [];
  const found = new Map<string, { text: string; path: string }>();
  given.forEach((entry, index) => {
    const path = `${list}[${index}]`;
    const question = questionFor(questions, entry);
    if (!question) {
      const name = entry._id ?? entry.question?.trim();
      problems.push({
        path: `${path}.question`,
        message: name
          ? `"${name}" is not a question of this staff member`
          : 'is required: give the text or the _id of the question',
      });
    } else if (found.has(question.id)) {
      problems.push({ path: `${path}.question`, message: `"${question.question}" has two answers` });
    } else {
      found.set(question.id, { text: textOf(entry.answer), path: `${path}.answer` });
    }
  });
  const answers = questions.flatMap((question) => {
    const { text = '', path = `${list}.${question.id}` } = found.get(question.id) ?? {};
    if (isUnanswered(question, text)) {
      if (question.is_required) problems.push({ path, message: `"${question.question}" must be answered` });
      return [];
    }
    const wrong = problemWith(question, text) ?? unticked(question, text);
    if (wrong) problems.push({ path, message: `"${question.question}" ${wrong}` });
    return [stored(question, text)];
  });
  return { answers, problems };
}

function questionFor(
  questions: readonly QuestionFields[],
  { _id, question }: Given,
): QuestionFields | undefined {
  if (typeof _id === 'string') return questions.find(({ id }) => id === _id.toLowerCase());
  const text = question?.trim();
  return questions.find((one) => one.question === text);
}

function stored(question: QuestionFields, answer: string): StoredAnswer {
  return {
    _id: question.id,
    question: question.question,
    questionType: question.question_type,
    isRequired: question.is_required,
    answer,
  };
}

function textOf(answer: Given['answer']): string {
  if (answer === null) return '';
  return Array.isArray(answer) ? JSON.stringify(answer) : String(answer).trim();
}

function isUnanswered(question: QuestionFields, text: string): boolean {
  return isBlank(text) || (question.question_type === 'multiselect' && /^\[\s*\]$/.test(text));
}

type Check = (text: string, options: readonly string[]) => string | undefined;

const matches =
  (pattern: RegExp, problem: string): Check =>
  (text) =>
    pattern.test(text) ? undefined : problem;

const checks: Record<string, Check> = {
  email: emailProblem,
  phone: (text) => phoneProblem(phoneDigits(text)),
  number: matches(/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$/, 'must be a number'),
  date: (text) =>
    dayOfDate(text) === undefined ? 'must be a valid date, for example 2026-03-10' : undefined,
  checkbox: matches(/^(true|false)$/, 'must be true or false'),
  url: (text) =>
    /^https?:\/\/\P{Cc}+$/iu.test(text) && URL.canParse(text)
      ? undefined
      : 'must be a URL that begins with http:// or https://',
  // answers are trimmed, and older options may not be
  select: (text, options) =>
    options.some((option) => option.trim() === text) ? undefined : `must be one of: ${options.join(', ')}`,
  multiselect: (text, options) => {
    const chosen = stringsOf(text);
    if (!chosen) return `must be a JSON array as text, for example ${JSON.stringify(options.slice(0, 2))}`;
    const wrong = chosen.find((choice, index) => !options.includes(choice) || chosen.indexOf(choice) < index);
    return wrong === undefined
      ? undefined
      : `must list options at most once each, from: ${options.join(', ')}`;
  },
};

function stringsOf(text: string): string[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  } catch {
    // the caller reports it
  }
  return undefined;
}

/** A required checkbox must be ticked, as in an HTML form. */
function unticked({ question_type, is_required }: QuestionFields, text: string): string | undefined {
  return question_type === 'checkbox' && is_required && text === 'false' ? 'must be true' : undefined;
}

/** The problem with an answer to that question, or undefined. */
function problemWith(question: QuestionFields, text: string): string | undefined {
  const maxLength = question.question_type === 'text' ? 1_000 : 10_000;
  if (text.length > maxLength) return `must be at most ${maxLength} characters`;
  return checks[question.question_type]?.(text, question.options);
}
