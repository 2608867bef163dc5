// Adding, changing and removing departments, staff and their form questions.
import type { Clock } from '../../base/clock.ts';
import { AppError, invalidRequest } from '../../base/errors.ts';
import { isUuid, uuidv7 } from '../../base/ids.ts';
import type { PutQuestionsBody } from '../../contract/form-questions.ts';
import type { Db, Tx } from '../../db/db.ts';
import { departmentNotFound, type QuestionFacts, questionProblems, staffNotFound } from './staff.ts';
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
  calendar?: 'required' | 'none';
  onCalendarMove?: 'follow' | 'keep';
  onCalendarDelete?: 'cancel' | 'keep';
}

/** The columns of the given fields only. */
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
  given: DepartmentChange & { name: string },
): Promise<DepartmentRow> {
  const id = uuidv7(deps.clock.now());
  return insertDepartment(deps.db, { id, account_id: accountId, ...given, name: given.name.trim() });
}

/** Changes a department; 404 if the account has none with that id. */
export async function changeDepartment(
  deps: DirectoryDeps,
  accountId: string,
  id: string,
  change: DepartmentChange,
): Promise<DepartmentRow> {
  const trimmed = change.name === undefined ? change : { ...change, name: change.name.trim() };
  const row = isUuid(id) ? await updateDepartment(deps.db, accountId, id, trimmed) : undefined;
  if (!row) throw departmentNotFound();
  return row;
}

/** Removes a department without staff; 409 `department_in_use` while staff belong to it. */
export async function removeDepartment(deps: DirectoryDeps, accountId: string, id: string): Promise<void> {
  if (!isUuid(id)) throw departmentNotFound();
  await deps.db.transaction().execute(async (tx) => {
    const count = await countStaffOf(tx, id);
    if (!(await deleteDepartment(tx, accountId, id))) throw departmentNotFound();
    if (count === 0) return;
    throw new AppError(
      'department_in_use',
      `${count} staff members belong to this department. Move them first, or set the department inactive.`,
    );
  });
}

/** Adds a staff member, closed until it is given a schedule. An unknown department: 400. */
export async function addStaff(
  deps: DirectoryDeps,
  accountId: string,
  given: StaffChange & { name: string },
): Promise<StaffRow> {
  const { departmentIds = [], ...rest } = given;
  const columns = { ...staffColumns(rest), name: given.name.trim() };
  const id = uuidv7(deps.clock.now());
  return deps.db.transaction().execute(async (tx) => {
    await checkDepartments(tx, accountId, departmentIds);
    await insertStaff(tx, { id, account_id: accountId, ...columns });
    await replaceDepartments(tx, id, departmentIds);
    return (await findStaff(tx, accountId, id)) as StaffRow;
  });
}

/** Changes a staff member; 404 if the account has none with that id. */
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
    return (await findStaff(tx, accountId, id)) as StaffRow;
  });
}

async function checkDepartments(tx: Tx, accountId: string, ids: string[]): Promise<void> {
  const known = await lockDepartments(tx, accountId, ids.filter(isUuid));
  const problems = ids.flatMap((id, index) =>
    known.includes(id.toLowerCase())
      ? []
      : [{ path: `departmentIds[${index}]`, message: 'there is no such department' }],
  );
  if (problems.length > 0) throw invalidRequest(problems);
}

/** Removes a staff member, who stays for past bookings alone; 409 `conflict` while bookings are to come. */
export async function removeStaff(deps: DirectoryDeps, accountId: string, id: string): Promise<void> {
  if (!isUuid(id)) throw staffNotFound();
  const now = new Date(deps.clock.now());
  await deps.db.transaction().execute(async (tx) => {
    // lock the row first: a concurrent booking waits, and then finds the staff member removed
    if (!(await updateStaff(tx, accountId, id, { active: false, deleted_at: now }))) throw staffNotFound();
    if (await hasOpenBookings(tx, id, now)) {
      throw new AppError(
        'conflict',
        'This staff member has bookings to come. Cancel or let them pass first, or set the staff member inactive.',
      );
    }
    await replaceDepartments(tx, id, []);
  });
}

/** Replaces a staff member's questions. An unchanged text keeps its id, so that open forms still match. */
export async function putQuestions(
  deps: DirectoryDeps,
  accountId: string,
  staffId: string,
  given: PutQuestionsBody,
): Promise<QuestionFacts[]> {
  if (!isUuid(staffId)) throw staffNotFound();
  const problems = questionProblems(given);
  return deps.db.transaction().execute(async (tx) => {
    // the row lock serializes replacements
    if (!(await updateStaff(tx, accountId, staffId, {}))) throw staffNotFound();
    if (problems.length > 0) throw invalidRequest(problems);
    const before = new Map((await allQuestions(tx, staffId)).map((row) => [row.question, row.id]));
    const rows = given.map((question) => {
      const text = question.question.trim();
      return {
        id: before.get(text) ?? uuidv7(deps.clock.now()),
        question: text,
        question_type: question.questionType,
        is_required: question.isRequired,
        options: question.options ?? [],
        placeholder: question.placeholder ?? null,
      };
    });
    await replaceQuestions(tx, { accountId, staffId }, rows);
    return rows;
  });
}
