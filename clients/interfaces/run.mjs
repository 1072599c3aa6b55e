// The official clients of each protocol against the real binary, with the scripted model
// behind it. Arguments name the clients; without any all run.
import { openHouse } from "./house.mjs";

const clients = ["openai", "aisdk", "agui", "a2a", "acp", "triggers", "mcp", "golang", "limits"];
const wanted = process.argv.slice(2);
for (const name of wanted.length ? wanted : clients) {
  const { default: run, config } = await import(`./${name}.mjs`);
  const house = await openHouse(config);
  try {
    await run(house);
  } catch (failure) {
    console.error(house.log().slice(-3000));
    throw failure;
  } finally {
    await house.close();
  }
}
