// Departments, staff and form questions: presenters, validation, and 404 errors. Pure.
import { AppError, type Problem } from '../../base/errors.ts';
import { calendarNeed, type StaffItem } from '../../contract/directory.ts';
import type { PutQuestionsBody, QuestionItem } from '../../contract/form-questions.ts';

export interface DepartmentFields {
  id: string;
  name: string;
  description: string | null;
  active: boolean;
  created_at: Date;
}

export interface StaffFields {
  id: string;
  name: string;
  title: string | null;
  email: string | null;
  department_ids: string[];
  timezone: string;
  slot_minutes: number;
  calendar: string;
  /** Of the connected calendar; null: none, or its authorization was revoked. */
  calendar_provider: string | null;
  on_calendar_move: string;
  on_calendar_delete: string;
  active: boolean;
  created_at: Date;
}

export interface QuestionFields {
  id: string;
  question: string;
  question_type: string;
  is_required: boolean;
  options: string[];
  placeholder: string | null;
}

/** A department in responses. */
export function departmentItem(row: DepartmentFields) {
  return {
    _id: row.id,
    name: row.name,
    description: row.description,
    active: row.active,
    createdAt: row.created_at.toISOString(),
  };
}

/** A staff member in responses. A calendar whose provider is not among the configured `calendars` cannot be used. */
export function staffItem(row: StaffFields, calendars: Readonly<Record<string, unknown>>): StaffItem {
  return {
    _id: row.id,
    name: row.name,
    title: row.title,
    email: row.email,
    departmentIds: row.department_ids,
    timezone: row.timezone,
    slotMinutes: row.slot_minutes,
    calendar: row.calendar === calendarNeed.none ? calendarNeed.none : calendarNeed.required,
    calendarConnected: row.calendar_provider !== null && calendars[row.calendar_provider] !== undefined,
    onCalendarMove: row.on_calendar_move === 'follow' ? 'follow' : 'keep',
    onCalendarDelete: row.on_calendar_delete === 'cancel' ? 'cancel' : 'keep',
    active: row.active,
    createdAt: row.created_at.toISOString(),
  };
}

/** A form question in responses. */
export function questionItem(row: QuestionFields): QuestionItem {
  return {
    _id: row.id,
    question: row.question,
    questionType: row.question_type as QuestionItem['questionType'],
    isRequired: row.is_required,
    options: row.options,
    placeholder: row.placeholder,
  };
}

/** All problems of a list of questions that its schema cannot find. */
export function questionProblems(questions: PutQuestionsBody): Problem[] {
  const problems: Problem[] = [];
  const seen = new Map<string, number>();
  questions.forEach(({ question, questionType, options }, index) => {
    const path = `[${index}]`;
    const first = seen.get(question.trim());
    if (first !== undefined) {
      problems.push({ path: `${path}.question`, message: `repeats question ${first + 1} of the list` });
    }
    seen.set(question.trim(), index);
    const chooses = questionType === 'select' || questionType === 'multiselect';
    if (chooses && !options?.length) {
      problems.push({
        path: `${path}.options`,
        message: `is required for a ${questionType} question: add at least one option`,
      });
    } else if (!chooses && options?.length) {
      problems.push({ path: `${path}.options`, message: `is not allowed for a ${questionType} question` });
    } else if (options && new Set(options.map((option) => option.trim())).size < options.length) {
      problems.push({ path: `${path}.options`, message: 'contains an option twice' });
    }
  });
  return problems;
}

/** 404 for a staff member that the account does not have. */
export function staffNotFound(): AppError {
  return new AppError('appointment_user_not_found', 'There is no such staff member in this account.');
}

/** 404 for a department that the account does not have. */
export function departmentNotFound(): AppError {
  return new AppError('department_not_found', 'There is no such department in this account.');
}
