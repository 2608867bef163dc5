// Operations that add, change and remove departments, staff and form questions.
import { audit } from '../../audit/store.ts';
import type { Clock } from '../../base/clock.ts';
import { counted } from '../../base/counted.ts';
import { AppError, invalidRequest } from '../../base/errors.ts';
import { isUuid, uuidv7 } from '../../base/ids.ts';
import type { CalendarNeed } from '../../contract/directory.ts';
import type { PutQuestionsBody } from '../../contract/form-questions.ts';
import type { Db, Tx } from '../../db/db.ts';
import { departmentNotFound, type QuestionFields, questionProblems, staffNotFound } from './staff.ts';
import {
  allQuestions,
  countStaffOf,
  type DepartmentRow,
  deleteDepartment,
  findStaff,
  hasOpenBookings,
  insertDepartment,
  insertStaff,
  lockDepartments,
  replaceDepartments,
  replaceQuestions,
  type StaffRow,
  updateDepartment,
  updateStaff,
} from './store.ts';

export interface DirectoryDeps {
  db: Db;
  clock: Clock;
}

export interface RemovalDeps extends DirectoryDeps {
  /** Disconnects the calendar within the transaction; may throw 409. Returns what to run after the commit. */
  removeConnection: (
    tx: Tx,
    accountId: string,
    staffId: string,
  ) => Promise<(() => Promise<void>) | undefined>;
}

interface DepartmentChange {
  name?: string;
  description?: string | null;
  active?: boolean;
}

interface StaffChange {
  name?: string;
  title?: string | null;
  email?: string | null;
  departmentIds?: string[];
  active?: boolean;
  calendar?: CalendarNeed;
  onCalendarMove?: 'follow' | 'keep';
  onCalendarDelete?: 'cancel' | 'keep';
}

/** The columns of the fields that are present. */
function staffColumns({
  name,
  onCalendarMove,
  onCalendarDelete,
  ...rest
}: Omit<StaffChange, 'departmentIds'>) {
  return {
    ...rest,
    ...(name === undefined ? {} : { name: name.trim() }),
    ...(onCalendarMove === undefined ? {} : { on_calendar_move: onCalendarMove }),
    ...(onCalendarDelete === undefined ? {} : { on_calendar_delete: onCalendarDelete }),
  };
}

/** Adds a department. */
export async function addDepartment(
  deps: DirectoryDeps,
  accountId: string,
  input: DepartmentChange & { name: string },
): Promise<DepartmentRow> {
  const id = uuidv7(deps.clock.now());
  return deps.db.transaction().execute(async (tx) => {
    const row = await insertDepartment(tx, { id, account_id: accountId, ...input, name: input.name.trim() });
    await audit(tx, accountId, 'department.created', id, { name: row.name, active: row.active });
    return row;
  });
}

/** Changes a department; 404 if the account has none with that id. */
export async function changeDepartment(
  deps: DirectoryDeps,
  accountId: string,
  id: string,
  change: DepartmentChange,
): Promise<DepartmentRow> {
  const trimmed = change.name === undefined ? change : { ...change, name: change.name.trim() };
  if (!isUuid(id)) throw departmentNotFound();
  return deps.db.transaction().execute(async (tx) => {
    const row = await updateDepartment(tx, accountId, id, trimmed);
    if (!row) throw departmentNotFound();
    await audit(tx, accountId, 'department.updated', id, { ...trimmed });
    return row;
  });
}

/** Removes a department without staff; 409 `department_in_use` while staff belong to it. */
export async function removeDepartment(deps: DirectoryDeps, accountId: string, id: string): Promise<void> {
  if (!isUuid(id)) throw departmentNotFound();
  await deps.db.transaction().execute(async (tx) => {
    const count = await countStaffOf(tx, id);
    if (!(await deleteDepartment(tx, accountId, id))) throw departmentNotFound();
    if (count === 0) return audit(tx, accountId, 'department.deleted', id);
    throw new AppError(
      'department_in_use',
      `${counted(count, 'staff member belongs', 'staff members belong')} to this department. Move them first, or set the department inactive.`,
    );
  });
}

/** Adds a staff member, who has no open slots until a schedule is set. Throws 400 for an unknown department. */
export async function addStaff(
  deps: DirectoryDeps,
  accountId: string,
  input: StaffChange & { name: string },
): Promise<StaffRow> {
  const { departmentIds = [], ...rest } = input;
  const columns = { ...staffColumns(rest), name: input.name.trim() };
  const id = uuidv7(deps.clock.now());
  return deps.db.transaction().execute(async (tx) => {
    await checkDepartments(tx, accountId, departmentIds);
    await insertStaff(tx, { id, account_id: accountId, ...columns });
    await replaceDepartments(tx, id, departmentIds);
    await audit(tx, accountId, 'staff.created', id, { ...input });
    return (await findStaff(tx, accountId, id)) as StaffRow;
  });
}

/** Changes a staff member. Throws 404 if the account has none with that id, 400 for an unknown department. */
export async function changeStaff(
  deps: DirectoryDeps,
  accountId: string,
  id: string,
  change: StaffChange,
): Promise<StaffRow> {
  const { departmentIds, ...columns } = change;
  if (!isUuid(id)) throw staffNotFound();
  return deps.db.transaction().execute(async (tx) => {
    if (!(await updateStaff(tx, accountId, id, staffColumns(columns)))) throw staffNotFound();
    if (departmentIds) {
      await checkDepartments(tx, accountId, departmentIds);
      await replaceDepartments(tx, id, departmentIds);
    }
    await audit(tx, accountId, 'staff.updated', id, { ...change });
    return (await findStaff(tx, accountId, id)) as StaffRow;
  });
}

async function checkDepartments(tx: Tx, accountId: string, ids: string[]): Promise<void> {
  const known = await lockDepartments(tx, accountId, ids.filter(isUuid));
  const problems = ids.flatMap((id, index) =>
    known.includes(id.toLowerCase())
      ? []
      : [{ path: `departmentIds[${index}]`, message: 'is not a department of this account' }],
  );
  if (problems.length > 0) throw invalidRequest(problems);
}

/**
 * Removes a staff member and disconnects their calendar; the row remains for past bookings. Throws 409 `conflict` while there are
 * future bookings.
 */
export async function removeStaff(deps: RemovalDeps, accountId: string, id: string): Promise<void> {
  if (!isUuid(id)) throw staffNotFound();
  const now = new Date(deps.clock.now());
  const afterCommit = await deps.db.transaction().execute(async (tx) => {
    // update first: the row lock makes a concurrent booking wait until the staff member is removed
    if (!(await updateStaff(tx, accountId, id, { active: false, deleted_at: now }))) throw staffNotFound();
    if (await hasOpenBookings(tx, id, now)) {
      throw new AppError(
        'conflict',
        'This staff member has future bookings. Cancel them first, or set the staff member inactive.',
      );
    }
    await replaceDepartments(tx, id, []);
    await audit(tx, accountId, 'staff.deleted', id);
    // in the same transaction: nothing could disconnect the calendar of a removed staff member later
    return deps.removeConnection(tx, accountId, id);
  });
  await afterCommit?.();
}

/** Replaces a staff member's questions. A question with an unchanged text keeps its id, so that open forms still match. */
export async function putQuestions(
  deps: DirectoryDeps,
  accountId: string,
  staffId: string,
  input: PutQuestionsBody,
): Promise<QuestionFields[]> {
  if (!isUuid(staffId)) throw staffNotFound();
  const problems = questionProblems(input);
  return deps.db.transaction().execute(async (tx) => {
    // the row lock serializes replacements
    if (!(await updateStaff(tx, accountId, staffId, {}))) throw staffNotFound();
    if (problems.length > 0) throw invalidRequest(problems);
    const before = new Map((await allQuestions(tx, staffId)).map((row) => [row.question, row.id]));
    const rows = input.map((question) => {
      const text = question.question.trim();
      return {
        id: before.get(text) ?? uuidv7(deps.clock.now()),
        question: text,
        question_type: question.questionType,
        is_required: question.isRequired,
        options: (question.options ?? []).map((option) => option.trim()),
        placeholder: question.placeholder ?? null,
      };
    });
    await replaceQuestions(tx, { accountId, staffId }, rows);
    await audit(tx, accountId, 'staff.questions_set', staffId, { count: rows.length });
    return rows;
  });
}
