// `npm run sbom`: prints the runtime dependencies as a CycloneDX document, from the lock file.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));

interface Sbom {
  components: { 'bom-ref': string; properties?: { name: string; value: string }[] }[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

/** npm's SBOM without development packages. `--omit dev` would also drop packages that are shared with them, such as `pg`. */
function runtimeSbom(): string {
  const sbom: Sbom = JSON.parse(
    execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 256 * 1024 * 1024,
    }),
  );
  const isDevelopment = ({ properties = [] }: Sbom['components'][number]) =>
    properties.some((property) => property.name === 'cdx:npm:package:development');
  const dropped = new Set(sbom.components.filter(isDevelopment).map((component) => component['bom-ref']));
  sbom.components = sbom.components.filter((component) => !dropped.has(component['bom-ref']));
  sbom.dependencies = sbom.dependencies
    .filter(({ ref }) => !dropped.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => !dropped.has(other)) }));
  return `${JSON.stringify(sbom, null, 2)}\n`;
}

process.stdout.write(runtimeSbom());
