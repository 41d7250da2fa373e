import { assertEquals } from "@std/assert";
import { WorkingFolder } from "../../lib/sessions/working_directory.ts";
import { withFolder } from "./homes.ts";

Deno.test("WorkingFolder holds itself and the folders below it, with slashes of either platform", async () => {
  const folder = await WorkingFolder.of("/home/dev/");
  for (
    const [cwd, isHeld] of [
      ["/home/dev", true],
      ["/home/dev/", true],
      ["/home/dev/proj", true],
      ["/home/dev\\proj", true],
      ["/home/developer", false],
      ["/home", false],
      ["", false],
      [null, false],
      [undefined, false],
    ] as const
  ) {
    assertEquals(folder.holds(cwd), isHeld, String(cwd));
  }
  assertEquals((await WorkingFolder.of("/")).holds("/home"), true);
});

Deno.test("WorkingFolder compares folders of Windows in any spelling", async () => {
  for (
    const [folder, cwd, isHeld] of [
      ["C:\\Work\\proj", "C:\\Work\\proj", true],
      ["C:\\Work\\proj\\", "c:\\work\\Proj\\lib", true],
      ["c:/code/proj", "C:\\Code\\proj\\lib", true],
      ["C:\\Work\\lib\\..\\proj", "C:/Work/proj", true],
      ["C:\\Work\\proj", "\\\\?\\C:\\Work\\proj", true],
      ["C:\\", "C:\\Work", true],
      ["C:\\Work\\proj", "C:\\Work\\project", false],
      ["C:\\Work\\proj", "D:\\Work\\proj", false],
      ["C:\\Work\\proj", "/home/dev", false],
      ["\\\\Server\\share", "\\\\server\\share\\proj", true],
      ["\\\\server\\share", "\\\\?\\UNC\\server\\share\\proj", true],
      ["/mnt/c/Work/Proj", "/mnt/c/work/proj/lib", true],
      ["/mnt/C/", "/mnt/c/Work", true],
      ["/mnt/Disk/proj", "/mnt/disk/proj", false],
      ["/home/dev", "/Home/dev", false],
    ] as const
  ) {
    const working = await WorkingFolder.of(folder);
    assertEquals(working.holds(cwd), isHeld, `${folder} ${cwd}`);
  }
});

Deno.test("WorkingFolder holds the folders below the target of a link", async () => {
  await withFolder(async (folder) => {
    await Deno.mkdir(`${folder}/real`);
    await Deno.symlink(`${folder}/real`, `${folder}/link`);
    const link = await WorkingFolder.of(`${folder}/link`);
    assertEquals(link.holds(`${folder}/real/proj`), true);
    assertEquals(link.holds(`${folder}/link/proj`), true);
    assertEquals(link.holds(`${folder}/other`), false);
  });
});
