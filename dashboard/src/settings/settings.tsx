// What the viewer chooses for this browser, and how long the account keeps its data.
import { Card } from '../design/card.tsx';
import { Page } from '../design/page.tsx';
import { chooseScheme, useSchemeChoice } from '../design/scheme.ts';
import { SelectField } from '../design/select-field.tsx';
import { useNow } from '../design/use-now.ts';
import { useMay } from '../session/session.tsx';
import { formatClock } from '../text/format.ts';
import { chooseLanguage, type Language, language, languages } from '../text/language.ts';
import { textsOf } from '../text/texts.ts';
import { chooseZone, isZoneChosen, systemZone, zone, zones } from '../text/zone.ts';
import { Retention } from './retention.tsx';
import { SessionCard } from './session-card.tsx';
import { Shortcuts } from './shortcuts.tsx';

const schemes = ['system', 'light', 'dark'] as const;

export function Settings() {
  const text = textsOf('settings');
  const mayManage = useMay('manage');
  const now = new Date(useNow());
  const scheme = useSchemeChoice() ?? 'system';
  return (
    <Page title={text('title')}>
      <Card title={text('viewer')} note={text('viewerNote')}>
        <div className="fields">
          <SelectField
            label={text('language')}
            value={language}
            onChange={(code) => chooseLanguage(code as Language)}
          >
            {Object.entries(languages).map(([code, name]) => (
              <option key={code} value={code}>
                {name}
              </option>
            ))}
          </SelectField>
          <SelectField
            label={text('zone')}
            note={text('zoneNow', { time: formatClock(now) })}
            value={isZoneChosen ? zone : ''}
            onChange={(chosen) => chooseZone(chosen || undefined)}
          >
            <option value="">{text('systemZone', { zone: systemZone })}</option>
            {zones().map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </SelectField>
          <SelectField
            label={text('appearance')}
            value={scheme}
            onChange={(chosen) => chooseScheme(chosen === 'light' || chosen === 'dark' ? chosen : undefined)}
          >
            {schemes.map((one) => (
              <option key={one} value={one}>
                {text(`scheme_${one}`)}
              </option>
            ))}
          </SelectField>
        </div>
      </Card>
      <Shortcuts />
      {mayManage && <Retention />}
      <SessionCard />
    </Page>
  );
}
