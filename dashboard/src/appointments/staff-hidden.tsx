// That no open times are listed of somebody who cannot be booked, and what to do.
import { Link } from '@tanstack/react-router';
import { isGatewayError } from '../../../client/src/errors.ts';
import { shapes } from '../design/icons.tsx';
import { textsOf } from '../text/texts.ts';

/** True for the error of a question about the open times of staff who are inactive. */
export const isStaffHidden = (error: unknown): boolean => isGatewayError(error, 'appointment_user_not_found');

export function StaffHidden({ memberId: id }: { memberId: string }) {
  const text = textsOf('appointments');
  return (
    <div className="note-box warn" role="status">
      {shapes.slashedRing}
      <div className="grow column">
        <div className="strong">{text('staffHidden')}</div>
        <div className="muted">{text('staffHiddenText')}</div>
        <div className="row wrap">
          <Link to="/users/$id/$tab" params={{ id, tab: 'details' }}>
            {text('staffHiddenLink')}
          </Link>
        </div>
      </div>
    </div>
  );
}
