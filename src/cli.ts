#!/usr/bin/env node
// The command line: runs one command and sets the exit code.
import { actingAsOperator } from './audit/actor.ts';
import { openProgram } from './command-line/program.ts';
import { runCommand } from './command-line/run.ts';

await actingAsOperator(() => runCommand(openProgram(), process.argv));
