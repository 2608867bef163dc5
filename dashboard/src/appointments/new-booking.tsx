// Booking for somebody: staff member, slot, guest and questions, then a check of it all.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { isGatewayError } from '../../../client/src/errors.ts';
import type { BookedAppointment, FormQuestion } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { useKeyOf } from '../api/use-key-of.ts';
import { Card } from '../design/card.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { Page } from '../design/page.tsx';
import { useMay } from '../session/session.tsx';
import { civilDate, isDate } from '../text/civil.ts';
import { zone } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { BookedNote } from './booked-note.tsx';
import { BookingCheck } from './booking-check.tsx';
import { type Guest, GuestFields, noGuest } from './guest-fields.tsx';
import type { DatedSlot } from './move.ts';
import { NoStaff } from './no-staff.tsx';
import { staffQuery } from './queries.ts';
import { SlotChoice } from './slot-choice.tsx';
import { StaffChoice } from './staff-choice.tsx';
import { changeScope } from './state.ts';
import './appointments.css';

/** The label of bookings made here. */
const source = 'dashboard';

const questionsQuery = (appointmentUserId: string) => ({
  queryKey: ['staff', 'questions', appointmentUserId],
  queryFn: async () => (await api.listFormQuestions({ appointmentUserId, limit: 100 })).items,
});

export function NewBooking() {
  const text = textsOf('appointments');
  const navigate = useNavigate();
  const search = useSearch({ strict: false }) as Record<string, unknown>;
  const department =
    typeof search.department === 'string' && search.department !== '' ? search.department : undefined;
  const { data: listed, error, refetch } = useQuery(staffQuery(department));
  const staff = listed?.items;
  const isEmpty = listed?.total === 0 && department === undefined;
  const [slot, setSlot] = useState<DatedSlot>();
  // what was typed stays while another slot is chosen
  const [hasChosen, setHasChosen] = useState(false);
  // also while another member of the staff is; a conversation leads here with who the guest is
  const [guest, setGuest] = useState<Guest>({
    ...noGuest,
    name: typeof search.name === 'string' ? search.name : '',
    phone: search.phone === undefined ? '' : String(search.phone),
  });
  const [booked, setBooked] = useState<BookedAppointment>();
  const member =
    staff?.find(({ _id }) => _id === search.staff) ?? (staff?.length === 1 ? staff[0] : undefined);
  const date = isDate(search.date) ? search.date : civilDate(new Date(), zone);
  const go = (change: Record<string, unknown>) => {
    setSlot(undefined);
    void navigate({ to: '/appointments/new', search: { ...search, ...change }, replace: true });
  };
  return (
    <Page title={text('bookTitle')} crumbs={[{ name: text('bookTitle') }]} text={text('bookText')}>
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {booked && <BookedNote booking={booked} />}
      {isEmpty && <NoStaff />}
      {listed && staff && !isEmpty && (
        <StaffChoice
          staff={staff}
          chosen={member?._id}
          total={listed.total}
          department={department}
          onDepartment={(next) => go({ department: next, staff: undefined })}
          onChoose={(id) => go({ staff: id })}
        />
      )}
      {member && (
        <Card
          title={text('slot')}
          {...(member.calendarConnected || member.calendar === 'none' ? {} : { note: text('noCalendar') })}
        >
          <SlotChoice
            appointmentUserId={member._id}
            date={date}
            chosen={slot?.startsAt}
            onDate={(next) => go({ date: next })}
            onChoose={(chosen) => {
              setSlot(chosen);
              setHasChosen(true);
            }}
          />
        </Card>
      )}
      {member && hasChosen && (
        <GuestStep
          key={`${member._id} ${booked?.bookingId}`}
          {...{ member, slot, guest }}
          onGuest={setGuest}
          onTaken={() => setSlot(undefined)}
          onBooked={(made) => {
            setBooked(made);
            setSlot(undefined);
            setHasChosen(false);
            setGuest(noGuest);
          }}
        />
      )}
    </Page>
  );
}

interface GuestProps {
  member: { _id: string; name: string };
  /** Undefined: another one has to be chosen. */
  slot: DatedSlot | undefined;
  guest: Guest;
  onGuest: (guest: Guest) => void;
  onTaken: () => void;
  /** Called where the session may not see the calendar. */
  onBooked: (booking: BookedAppointment) => void;
}

/** The guest's own part, and the check. */
function GuestStep({ member, slot, guest, onGuest, onTaken, onBooked }: GuestProps) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const questions = useQuery(questionsQuery(member._id));
  const maySee = useMay(changeScope);
  const [isChecking, setChecking] = useState(false);
  const body = {
    ...{ appointmentUserId: member._id, timezone: zone, source },
    ...{ date: slot?.date ?? '', from: slot?.from ?? '', to: slot?.to ?? '' },
    ...{ email: guest.email.trim(), phoneNumber: guest.phone.trim() },
    ...(guest.name.trim() === '' ? {} : { name: guest.name.trim() }),
    staticQuestionAnswers: answersOf(questions.data ?? [], guest),
  };
  const { keyOf } = useKeyOf();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => api.bookAppointment({ body }, { idempotencyKey: keyOf(body) }),
    onSuccess: (made) => {
      const { bookingId } = made;
      const search = { view: 'day', date: body.date, staff: member._id, booking: bookingId };
      if (maySee) void navigate({ to: '/appointments', search });
      else onBooked(made);
    },
    onError: (failure) => {
      setChecking(false);
      if (isGatewayError(failure, 'slot_unavailable')) onTaken();
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['bookings'] }),
  });
  if (!questions.data)
    return questions.error ? (
      <ErrorNote error={questions.error} onRetry={() => void questions.refetch()} />
    ) : null;
  return (
    <>
      {error && <ErrorNote error={error} />}
      {isChecking && slot ? (
        <BookingCheck
          {...{ member, slot, guest, isPending }}
          questions={questions.data}
          onBack={() => setChecking(false)}
          onBook={mutate}
        />
      ) : (
        <GuestFields
          guest={guest}
          questions={questions.data}
          hasSlot={slot !== undefined}
          onChange={onGuest}
          onCheck={() => setChecking(true)}
        />
      )}
    </>
  );
}

/** The answers that were given, in the form of the API. */
function answersOf(questions: FormQuestion[], { answers }: Guest) {
  return questions.flatMap(({ _id, questionType }) => {
    const answer = answers[_id];
    if (answer === undefined || answer === '' || (Array.isArray(answer) && answer.length === 0)) return [];
    if (questionType === 'multiselect') return [{ _id, answer: JSON.stringify(answer) }];
    return [{ _id, answer: String(answer) }];
  });
}
