// One staff member: hours, questions, calendar and details, each a tab of its own address.
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import type { Department, StaffMember } from '../../../client/src/generated.ts';
import { LinkButton } from '../design/link-button.tsx';
import { Loading } from '../design/loading.tsx';
import { Page } from '../design/page.tsx';
import { PageError } from '../design/page-error.tsx';
import { StateBadge, wordOf } from '../design/state-badge.tsx';
import { Tabs } from '../design/tabs.tsx';
import { useMay } from '../session/session.tsx';
import { textsOf } from '../text/texts.ts';
import { CalendarTab } from './calendar-tab.tsx';
import { Details } from './details.tsx';
import { Hours } from './hours.tsx';
import { OpenHours } from './open-hours-tab.tsx';
import { directoryQuery } from './queries.ts';
import { Questions } from './questions.tsx';
import { calendarStateOf } from './staff-state.ts';
import { HiddenNote } from './visitor-view.tsx';
import './users.css';

const tabs = ['hours', 'questions', 'calendar', 'open', 'details'] as const;
type Tab = (typeof tabs)[number];
/** What sessions without the scope `manage` can see. */
const openTabs: readonly Tab[] = ['calendar', 'open'];

export function Member() {
  const text = textsOf('users');
  const { id, tab } = useParams({ strict: false });
  const { data, error, refetch } = useQuery(directoryQuery);
  const member = data?.staff.find(({ _id }) => _id === id);
  if (!data) return error ? <PageError error={error} onRetry={() => void refetch()} /> : <Loading />;
  if (!member)
    return (
      <Page title={text('unknown')} text={text('unknownText')}>
        <Link to="/users">{text('title')}</Link>
      </Page>
    );
  const current = tabs.find((one) => one === tab) ?? 'hours';
  return <MemberView key={member._id} member={member} departments={data.departments} current={current} />;
}

interface Props {
  member: StaffMember;
  departments: Department[];
  current: Tab;
}

function MemberView({ member, departments, current }: Props) {
  const text = textsOf('users');
  const navigate = useNavigate();
  const mayManage = useMay('manage');
  const maySee = useMay('appointments:manage');
  const mayBook = useMay('appointments:book') && member.active;
  const { _id: id, name, title, email, departmentIds } = member;
  const names = departments.filter(({ _id }) => departmentIds.includes(_id)).map((one) => one.name);
  const calendar = calendarStateOf(member);
  const about = [title, ...names, email].filter((part) => part !== null && part !== '');
  return (
    <Page
      crumbs={[{ name }]}
      title={
        <span className="row wrap">
          <bdi>{name}</bdi>
          <StateBadge state={calendar} label={`${text('calendar')}: ${wordOf(calendar)}`} />
        </span>
      }
      text={<bdi>{about.join(', ')}</bdi>}
      actions={
        <>
          {maySee && (
            <Link to="/appointments" search={{ staff: id }}>
              {text('appointments')}
            </Link>
          )}
          {mayBook && (
            <LinkButton>
              <Link to="/appointments/new" search={{ staff: id }}>
                {text('book')}
              </Link>
            </LinkButton>
          )}
        </>
      }
    >
      <Tabs
        label={name}
        values={tabs}
        chosen={current}
        wordOf={(tab) => text(`tab_${tab}`)}
        onChoose={(tab) => void navigate({ to: '/users/$id/$tab', params: { id, tab } })}
      />
      {!mayManage && !openTabs.includes(current) ? (
        <p className="muted">{text('needsScope', { scope: 'manage' })}</p>
      ) : (
        <>
          {current === 'hours' && <Hours member={member} />}
          {current === 'questions' && <Questions id={id} />}
          {current === 'calendar' && <CalendarTab member={member} />}
          {current === 'open' &&
            (maySee ? (
              member.active ? (
                <OpenHours member={member} />
              ) : (
                <HiddenNote memberId={id} />
              )
            ) : (
              <p className="muted">{text('needsScope', { scope: 'appointments:manage' })}</p>
            ))}
          {current === 'details' && <Details member={member} departments={departments} />}
        </>
      )}
    </Page>
  );
}
