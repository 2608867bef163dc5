// Rows of departments, staff and form questions.
import { type Insertable, type Selectable, sql } from 'kysely';
import { bookingState } from '../../contract/bookings.ts';
import type { Db, Tx } from '../../db/db.ts';
import type { DB } from '../../db/schema.ts';
import { sqlConstants } from '../../db/sql-constants.ts';
import type { QuestionFields, StaffFields } from './staff.ts';

export type DepartmentRow = Selectable<DB['departments']>;
export type StaffRow = Omit<Selectable<DB['staff']>, 'weekly' | 'overrides'> & {
  weekly: unknown;
  overrides: unknown;
} & Pick<StaffFields, 'department_ids' | 'calendar_provider'>;

const { confirmed } = sqlConstants(bookingState);

interface Window {
  limit: number;
  offset: number;
}

/** Adds a department. */
export async function insertDepartment(
  db: Db,
  department: Insertable<DB['departments']>,
): Promise<DepartmentRow> {
  return db.insertInto('departments').values(department).returningAll().executeTakeFirstOrThrow();
}

/** Changes the account's department; undefined if there is none. */
export async function updateDepartment(
  db: Db,
  accountId: string,
  id: string,
  change: { name?: string; description?: string | null; active?: boolean },
): Promise<DepartmentRow | undefined> {
  return db
    .updateTable('departments')
    .set(change)
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** The account's department with that id. */
export async function findDepartment(
  db: Db | Tx,
  accountId: string,
  id: string,
): Promise<DepartmentRow | undefined> {
  return db
    .selectFrom('departments')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Locks the account's departments among `ids` against removal, and returns the existing ones. */
export async function lockDepartments(tx: Tx, accountId: string, ids: string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await tx
    .selectFrom('departments')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', 'in', ids)
    .orderBy('id')
    .forKeyShare()
    .execute();
  return rows.map(({ id }) => id);
}

/** Deletes the account's department; false if there is none. */
export async function deleteDepartment(tx: Tx, accountId: string, id: string): Promise<boolean> {
  const { rows } = await sql`
    delete from departments where account_id = ${accountId} and id = ${id} returning 1`.execute(tx);
  return rows.length === 1;
}

/** How many staff members belong to a department. */
export async function countStaffOf(tx: Tx, departmentId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from staff_departments join staff on staff.id = staff_id
    where department_id = ${departmentId} and deleted_at is null`.execute(tx);
  return rows[0]?.count ?? 0;
}

/** One page of the account's departments by name, and how many there are. */
export async function listDepartments(
  db: Db,
  accountId: string,
  filter: { includeInactive: boolean },
  window: Window,
): Promise<{ rows: DepartmentRow[]; total: number }> {
  let own = db.selectFrom('departments').where('account_id', '=', accountId);
  if (!filter.includeInactive) own = own.where('active', '=', true);
  const rows = await own
    .selectAll()
    .orderBy('name')
    .orderBy('id')
    .limit(window.limit)
    .offset(window.offset)
    .execute();
  const { total } = await own.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  return { rows, total };
}

const staffColumns = sql<StaffRow>`staff.*,
  array(select department_id from staff_departments where staff_id = staff.id order by department_id)
    as department_ids,
  (select provider from calendar_connections where staff_id = staff.id and dead_at is null) as calendar_provider`;

/** Adds a staff member. */
export async function insertStaff(tx: Tx, staff: Insertable<DB['staff']>): Promise<void> {
  await tx.insertInto('staff').values(staff).execute();
}

/** The account's staff member with that id, unless removed. */
export async function findStaff(db: Db | Tx, accountId: string, id: string): Promise<StaffRow | undefined> {
  const { rows } = await sql<StaffRow>`
    select ${staffColumns} from staff
    where account_id = ${accountId} and id = ${id} and deleted_at is null`.execute(db);
  return rows[0];
}

/** Changes the account's staff member; false if there is none. */
export async function updateStaff(
  db: Db | Tx,
  accountId: string,
  id: string,
  change: Partial<Insertable<DB['staff']>>,
): Promise<boolean> {
  const changed = await db
    .updateTable('staff')
    .set({ id, ...change })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  return changed !== undefined;
}

/** Replaces the departments of a staff member. */
export async function replaceDepartments(tx: Tx, staffId: string, departmentIds: string[]): Promise<void> {
  await sql`
    delete from staff_departments where staff_id = ${staffId} and department_id <> all(${departmentIds}::uuid[])`.execute(
    tx,
  );
  await sql`
    insert into staff_departments (staff_id, department_id)
    select ${staffId}, unnest(${departmentIds}::uuid[]) on conflict do nothing`.execute(tx);
}

/** One page of the account's staff by name, and how many there are. */
export async function listStaff(
  db: Db,
  accountId: string,
  filter: { departmentId?: string | undefined; includeInactive: boolean },
  window: Window,
): Promise<{ rows: StaffRow[]; total: number }> {
  const department = filter.departmentId ?? null;
  const own = sql`account_id = ${accountId} and deleted_at is null and (active or ${filter.includeInactive})
    and (${department}::uuid is null or exists (select from staff_departments
      where staff_id = staff.id and department_id = ${department}::uuid))`;
  const { rows } = await sql<StaffRow>`
    select ${staffColumns} from staff where ${own} order by name, id
    limit ${window.limit} offset ${window.offset}`.execute(db);
  const count = await sql<{ total: number }>`select count(*) as total from staff where ${own}`.execute(db);
  return { rows, total: count.rows[0]?.total ?? 0 };
}

export type StaffSettings = Pick<
  StaffRow,
  | 'name'
  | 'timezone'
  | 'buffer_before_minutes'
  | 'buffer_after_minutes'
  | 'on_calendar_move'
  | 'on_calendar_delete'
  | 'calendar'
>;

/** The settings of a staff member, also of a removed one, that apply to existing bookings. */
export async function staffSettings(db: Db | Tx, staffId: string): Promise<StaffSettings> {
  return db
    .selectFrom('staff')
    .select(['name', 'timezone', 'buffer_before_minutes', 'buffer_after_minutes'])
    .select(['on_calendar_move', 'on_calendar_delete', 'calendar'])
    .where('id', '=', staffId)
    .executeTakeFirstOrThrow();
}

/** True if a staff member has future or unfinished bookings. */
export async function hasOpenBookings(tx: Tx, staffId: string, now: Date): Promise<boolean> {
  const { rows } = await sql`
    select 1 from bookings where staff_id = ${staffId}
      and (due_at is not null or (state = ${confirmed} and coalesce(hand_ends_at, ends_at) > ${now})) limit 1`.execute(
    tx,
  );
  return rows.length > 0;
}

const questionColumns = ['id', 'question', 'question_type', 'is_required', 'options', 'placeholder'] as const;

/** All questions of a staff member, in order. */
export async function allQuestions(db: Db | Tx, staffId: string): Promise<QuestionFields[]> {
  return db
    .selectFrom('form_questions')
    .select(questionColumns)
    .where('staff_id', '=', staffId)
    .orderBy('position')
    .execute();
}

/** Replaces a staff member's questions, in the given order. */
export async function replaceQuestions(
  tx: Tx,
  of: { accountId: string; staffId: string },
  questions: QuestionFields[],
): Promise<void> {
  await tx.deleteFrom('form_questions').where('staff_id', '=', of.staffId).execute();
  if (questions.length === 0) return;
  const rows = questions.map((question, position) => ({
    ...question,
    position,
    account_id: of.accountId,
    staff_id: of.staffId,
  }));
  await tx.insertInto('form_questions').values(rows).execute();
}
