// In place of a calendar or a booking of an account without staff: where they are added.
import IconUsers from '@tabler/icons-react/dist/esm/icons/IconUsers.mjs';
import { Link } from '@tanstack/react-router';
import { EmptyState } from '../design/messages.tsx';
import { textsOf } from '../text/texts.ts';

export function NoStaff() {
  const text = textsOf('appointments');
  return (
    <EmptyState
      icon={<IconUsers size={20} aria-hidden />}
      title={text('noStaff')}
      text={text('noStaffText')}
      actions={<Link to="/users">{text('toStaff')}</Link>}
    />
  );
}
