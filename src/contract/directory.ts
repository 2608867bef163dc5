// Departments and staff on the wire.
import { type Static, Type } from 'typebox';
import { filled, Id, instant, nullable, pageProperties } from './envelope.ts';

const closed = { additionalProperties: false } as const;
const Name = filled(200, 'Name, as guests see it.');

export const DepartmentItem = Type.Object(
  {
    _id: Id,
    name: Type.String({ description: 'Name of the department.' }),
    description: nullable(Type.String({ description: 'What the department does.' })),
    active: Type.Boolean({ description: 'Inactive departments are kept but not listed.' }),
    createdAt: instant('When the department was created.'),
  },
  {
    title: 'Department',
    description: 'A department.',
    examples: [
      {
        _id: '019a0b5e-7c00-7000-8000-000000000000',
        name: 'Cardiology',
        description: 'Heart and vessels',
        active: true,
        createdAt: '2026-03-10T14:00:00.000Z',
      },
    ],
  },
);
const departmentFields = {
  name: Name,
  description: nullable(Type.String({ maxLength: 1000, description: 'What the department does.' })),
  active: Type.Boolean({ description: 'Inactive departments are kept but not listed.' }),
};
export const CreateDepartmentBody = Type.Object(
  {
    name: departmentFields.name,
    description: Type.Optional(departmentFields.description),
    active: Type.Optional(departmentFields.active),
  },
  {
    ...closed,
    title: 'CreateDepartment',
    description: 'A new department.',
    examples: [{ name: 'Cardiology', description: 'Heart and vessels' }],
  },
);
export const ChangeDepartmentBody = Type.Partial(CreateDepartmentBody, {
  ...closed,
  minProperties: 1,
  title: 'UpdateDepartment',
  description: 'The fields to change.',
  examples: [{ name: 'Heart centre' }],
});

const includeInactive = Type.Optional(
  Type.Boolean({ default: false, description: 'Whether to include inactive items.' }),
);
export const ListDepartmentsQuery = Type.Object({ includeInactive, ...pageProperties }, closed);
export const ListStaffQuery = Type.Object(
  {
    departmentId: Type.Optional(
      Type.String({ maxLength: 64, description: 'Only staff of this department.' }),
    ),
    includeInactive,
    ...pageProperties,
  },
  closed,
);

const OnCalendarMove = Type.Enum(['follow', 'keep'], {
  description:
    'What to do when somebody moves the calendar event of a booking. `follow` (default): reschedule the booking. `keep`: keep its time; `calendarState` shows the move.',
});
const OnCalendarDelete = Type.Enum(['cancel', 'keep'], {
  description:
    'What to do when somebody deletes the calendar event of a booking. `cancel` (default): cancel the booking. `keep`: keep it; `calendarState` shows the deletion.',
});
/** Whether bookings of a staff member need a connected calendar. */
export const calendarNeed = { required: 'required', none: 'none' } as const;
export type CalendarNeed = (typeof calendarNeed)[keyof typeof calendarNeed];
const staffExample = {
  _id: '019a0b5e-7c00-7000-8000-000000000001',
  name: 'Dr. Ada Okafor',
  title: 'Cardiologist',
  email: 'ada@example.com',
  departmentIds: ['019a0b5e-7c00-7000-8000-000000000000'],
  timezone: 'Europe/Berlin',
  slotMinutes: 30,
  calendar: calendarNeed.required,
  calendarConnected: true,
  onCalendarMove: 'follow',
  onCalendarDelete: 'cancel',
  active: true,
  createdAt: '2026-03-10T14:00:00.000Z',
};
export const StaffItem = Type.Object(
  {
    _id: Id,
    name: Type.String({ description: 'Name of the staff member.' }),
    title: nullable(Type.String({ description: 'Job title.' })),
    email: nullable(Type.String({ description: 'E-mail address of the staff member.' })),
    departmentIds: Type.Array(Type.String(), { description: 'Ids of the departments.' }),
    timezone: Type.String({ description: 'IANA time zone of the schedule.' }),
    slotMinutes: Type.Integer({ description: 'Length of an appointment, in minutes.' }),
    calendar: Type.Enum(Object.values(calendarNeed), {
      description: 'Whether bookings need a connected calendar.',
    }),
    calendarConnected: Type.Boolean({ description: 'Whether a working calendar is connected.' }),
    onCalendarMove: OnCalendarMove,
    onCalendarDelete: OnCalendarDelete,
    active: Type.Boolean({ description: 'Inactive staff are kept but not listed.' }),
    createdAt: instant('When the staff member was created.'),
  },
  { title: 'StaffMember', description: 'A person who can be booked.', examples: [staffExample] },
);
export type StaffItem = Static<typeof StaffItem>;
export const CreateStaffBody = Type.Object(
  {
    name: Name,
    title: Type.Optional(nullable(Type.String({ maxLength: 200, description: 'Job title.' }))),
    email: Type.Optional(
      nullable(
        Type.String({
          format: 'idn-email',
          maxLength: 254,
          description: 'E-mail address of the staff member.',
        }),
      ),
    ),
    departmentIds: Type.Optional(
      Type.Array(Type.String({ maxLength: 64 }), {
        maxItems: 100,
        uniqueItems: true,
        description: 'Ids of the departments.',
      }),
    ),
    active: Type.Optional(Type.Boolean({ description: 'Inactive staff are kept but not listed.' })),
    calendar: Type.Optional(
      Type.Enum(Object.values(calendarNeed), {
        description:
          '`required` (default): no slots and no bookings without a connected calendar. `none`: the gateway alone keeps the bookings.',
      }),
    ),
    onCalendarMove: Type.Optional(OnCalendarMove),
    onCalendarDelete: Type.Optional(OnCalendarDelete),
  },
  {
    ...closed,
    title: 'CreateStaffMember',
    description: 'A new staff member.',
    examples: [{ name: 'Dr. Ada Okafor', title: 'Cardiologist' }],
  },
);
export const ChangeStaffBody = Type.Partial(CreateStaffBody, {
  ...closed,
  minProperties: 1,
  title: 'UpdateStaffMember',
  description: 'The fields to change.',
  examples: [{ title: 'Senior cardiologist' }],
});
