// What the viewer chooses for this browser, and how long the account keeps its data.
import { Card } from '../design/card.tsx';
import { Page } from '../design/page.tsx';
import { chooseScheme, useSchemeChoice } from '../design/scheme.ts';
import { useNow } from '../design/use-now.ts';
import { useMay } from '../session/session.tsx';
import { formatClock } from '../text/format.ts';
import { chooseLanguage, type Language, language, languages } from '../text/language.ts';
import { textsOf } from '../text/texts.ts';
import { chooseZone, isZoneChosen, systemZone, zone, zones } from '../text/zone.ts';
import { Retention } from './retention.tsx';

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
          <label className="field">
            <span className="strong">{text('language')}</span>
            <select
              className="input"
              value={language}
              onChange={({ target }) => chooseLanguage(target.value as Language)}
            >
              {Object.entries(languages).map(([code, name]) => (
                <option key={code} value={code}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          <label className="field">
            <span className="strong">{text('zone')}</span>
            <select
              className="input"
              value={isZoneChosen ? zone : ''}
              onChange={({ target }) => chooseZone(target.value || undefined)}
            >
              <option value="">{text('systemZone', { zone: systemZone })}</option>
              {zones().map((name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
            <span className="note small number">{text('zoneNow', { time: formatClock(now) })}</span>
          </label>
          <label className="field">
            <span className="strong">{text('appearance')}</span>
            <select
              className="input"
              value={scheme}
              onChange={({ target }) => {
                const chosen = schemes.find((one) => one === target.value);
                chooseScheme(chosen === 'light' || chosen === 'dark' ? chosen : undefined);
              }}
            >
              {schemes.map((one) => (
                <option key={one} value={one}>
                  {text(`scheme_${one}`)}
                </option>
              ))}
            </select>
          </label>
        </div>
      </Card>
      {mayManage && <Retention />}
    </Page>
  );
}
