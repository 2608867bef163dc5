// `npm run bench -- NAME`: runs one workload by its name.
import { underConditions } from './conditions.ts';
import { measureCheckout } from './processes.ts';
import { optionLines, readOptions, type Workload } from './workload.ts';

const names = [
  'lifecycle',
  'endpoints',
  'scale',
  'send',
  'callbacks',
  'sends',
  'webhooks',
  'inbound',
  'isolation',
  'slots',
  'bookings',
  'fairness',
  'campaign',
  'pace',
  'upload',
  'growth',
  'storage',
  'statistics',
  'idle',
  'backup',
  'dashboard',
] as const;

async function load(name: string): Promise<Workload> {
  return (await import(`./workloads/${name}.ts`)).default as Workload;
}

async function help(): Promise<void> {
  console.log('Usage: npm run bench -- NAME [options]\n');
  for (const name of names) {
    const given = await load(name);
    console.log(`${name}\n  ${given.about}`);
    for (const line of optionLines(given)) console.log(`    ${line}`);
    console.log();
  }
}

const [name, ...args] = process.argv.slice(2);
if (name === undefined || name === 'help' || name === '--help') await help();
else if (!(names as readonly string[]).includes(name)) {
  console.error(`There is no workload "${name}". Choose one of ${names.join(', ')}.`);
  process.exitCode = 1;
} else {
  const given = await load(name);
  if (args.includes('--help')) for (const line of optionLines(given)) console.log(line);
  else {
    const { gateway, ...options } = readOptions(given, args);
    if (gateway) measureCheckout(String(gateway));
    await underConditions(() => given.run(options));
  }
}
