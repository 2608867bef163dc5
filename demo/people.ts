// Departments, staff, opening hours and questions of the demonstration (data).
import type { CreateStaffMember, SetFormQuestion, SetSchedule } from '../client/src/client.ts';

interface Member {
  email: string;
  user: CreateStaffMember;
  departments: string[];
  schedule: SetSchedule;
  questions: SetFormQuestion[];
}

export const departments = [
  { name: 'Consulting', description: 'First talks and follow-ups.' },
  { name: 'Support', description: 'Help with what you have.' },
];

type Weekday = SetSchedule['weekly'][number]['weekday'];
const workdays: Weekday[] = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'];
const every = (from: string, to: string, days: readonly Weekday[] = workdays) =>
  days.map((weekday) => ({ weekday, from, to }));

export const staff: Member[] = [
  {
    email: 'asha@demo.example',
    user: { name: 'Asha Rao', title: 'Consultant', email: 'asha@demo.example' },
    departments: ['Consulting'],
    schedule: {
      timezone: 'Asia/Kolkata',
      slotMinutes: 30,
      bufferAfterMinutes: 10,
      minimumNoticeMinutes: 60,
      bookingWindowDays: 60,
      weekly: [...every('09:00', '13:00'), ...every('14:00', '18:00')],
    },
    questions: [
      { question: 'What would you like to talk about?', questionType: 'textarea', isRequired: true },
      {
        question: 'How did you hear of us?',
        questionType: 'select',
        isRequired: false,
        options: ['A friend', 'Search', 'An advertisement'],
      },
    ],
  },
  {
    email: 'jonas@demo.example',
    user: { name: 'Jonas Weber', title: 'Support engineer', email: 'jonas@demo.example' },
    departments: ['Support'],
    schedule: {
      timezone: 'Europe/Berlin',
      slotMinutes: 45,
      slotStepMinutes: 15,
      minimumNoticeMinutes: 30,
      bookingWindowDays: 30,
      dailyLimit: 6,
      weekly: every('08:30', '16:30'),
    },
    questions: [
      { question: 'Order number', questionType: 'text', isRequired: true, placeholder: 'A-1001' },
      { question: 'Since when does it happen?', questionType: 'date', isRequired: false },
      {
        question: 'Which products are concerned?',
        questionType: 'multiselect',
        isRequired: false,
        options: ['Phone', 'Tablet', 'Watch'],
      },
    ],
  },
  {
    email: 'maria@demo.example',
    user: { name: 'Maria Lopez', title: 'Night consultant', email: 'maria@demo.example' },
    departments: ['Consulting', 'Support'],
    schedule: {
      timezone: 'America/New_York',
      slotMinutes: 60,
      bookingWindowDays: 90,
      weekly: [...every('10:00', '15:00'), ...every('22:00', '02:00', ['friday', 'saturday'])],
    },
    questions: [
      { question: 'Your website', questionType: 'url', isRequired: false },
      { question: 'Team size', questionType: 'number', isRequired: false },
      { question: 'I agree to be called', questionType: 'checkbox', isRequired: true },
    ],
  },
];

/** A valid answer for each type of question, for the booking command. */
export const sampleAnswers: Record<string, string> = {
  text: 'A-1001',
  textarea: 'A first talk about our project.',
  email: 'ada@example.com',
  phone: '15550100001',
  number: '12',
  date: '2026-01-15',
  url: 'https://example.com',
  checkbox: 'true',
};
