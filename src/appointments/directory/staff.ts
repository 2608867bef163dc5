// What a department, a staff member and a form question are to callers, and what makes them sound. Pure.
import { AppError, type Problem } from '../../base/errors.ts';
import type { StaffItem } from '../../contract/directory.ts';
import type { PutQuestionsBody, QuestionItem } from '../../contract/form-questions.ts';

export interface DepartmentFacts {
  id: string;
  name: string;
  description: string | null;
  active: boolean;
  created_at: Date;
}

export interface StaffFacts {
  id: string;
  name: string;
  title: string | null;
  email: string | null;
  department_ids: string[];
  timezone: string;
  slot_minutes: number;
  calendar: string;
  calendar_connected: boolean;
  on_calendar_move: string;
  on_calendar_delete: string;
  active: boolean;
  created_at: Date;
}

export interface QuestionFacts {
  id: string;
  question: string;
  question_type: string;
  is_required: boolean;
  options: string[];
  placeholder: string | null;
}

/** A department as it is listed. */
export function departmentItem(row: DepartmentFacts) {
  return {
    _id: row.id,
    name: row.name,
    description: row.description,
    active: row.active,
    createdAt: row.created_at.toISOString(),
  };
}

/** A staff member as it is listed. */
export function staffItem(row: StaffFacts): StaffItem {
  return {
    _id: row.id,
    name: row.name,
    title: row.title,
    email: row.email,
    departmentIds: row.department_ids,
    timezone: row.timezone,
    slotMinutes: row.slot_minutes,
    calendar: row.calendar === 'none' ? 'none' : 'required',
    calendarConnected: row.calendar_connected,
    onCalendarMove: row.on_calendar_move === 'follow' ? 'follow' : 'keep',
    onCalendarDelete: row.on_calendar_delete === 'cancel' ? 'cancel' : 'keep',
    active: row.active,
    createdAt: row.created_at.toISOString(),
  };
}

/** A form question as it is listed. */
export function questionItem(row: QuestionFacts): QuestionItem {
  return {
    _id: row.id,
    question: row.question,
    questionType: row.question_type as QuestionItem['questionType'],
    isRequired: row.is_required,
    options: row.options,
    placeholder: row.placeholder,
  };
}

/** Everything wrong with a list of questions that a schema cannot see. */
export function questionProblems(questions: PutQuestionsBody): Problem[] {
  const problems: Problem[] = [];
  const seen = new Map<string, number>();
  questions.forEach(({ question, questionType, options }, index) => {
    const path = `[${index}]`;
    const twin = seen.get(question.trim());
    if (twin !== undefined) {
      problems.push({ path: `${path}.question`, message: `is the same as question ${twin + 1} of the list` });
    }
    seen.set(question.trim(), index);
    const chooses = questionType === 'select' || questionType === 'multiselect';
    if (chooses && !options?.length) {
      problems.push({
        path: `${path}.options`,
        message: `a ${questionType} question needs at least one option`,
      });
    } else if (!chooses && options?.length) {
      problems.push({ path: `${path}.options`, message: `a ${questionType} question has no options` });
    } else if (options && new Set(options).size < options.length) {
      problems.push({ path: `${path}.options`, message: 'an option stands there twice' });
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
