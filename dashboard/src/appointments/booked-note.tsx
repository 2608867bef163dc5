// What was booked, for those who may not see the calendar.
import IconCircleCheck from '@tabler/icons-react/dist/esm/icons/IconCircleCheck.mjs';
import type { BookedAppointment } from '../../../client/src/generated.ts';
import { IdChip } from '../design/id-chip.tsx';
import { formatDate } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';

export function BookedNote({ booking }: { booking: BookedAppointment }) {
  const text = textsOf('appointments');
  const { date, from, name, email, meetingLink, bookingId } = booking;
  return (
    <div className="note-box accent" role="status">
      <IconCircleCheck size={17} aria-hidden />
      <div className="grow column">
        <div className="strong">
          {text('bookedNote', { date: formatDate(date, true), time: from, name: name ?? email })}
        </div>
        {meetingLink !== null && (
          <div>
            <IdChip value={meetingLink} label={text('join')} keep={60} />
          </div>
        )}
        <div>
          <IdChip value={bookingId} label={text('bookingId')} keep={18} />
        </div>
      </div>
    </div>
  );
}
